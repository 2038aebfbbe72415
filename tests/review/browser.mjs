// Drives the review page in Chromium, as a person does, while an agent stages edits over MCP.
//
//   node browser.mjs FLOW PROGRAM DIRECTORY
//
// TREEGRAFT_TEST_NODE has the packages, TREEGRAFT_TEST_CHROMIUM is the browser. With TREEGRAFT_RECORD=1, the flow
// `decide` writes the pictures of docs/reviewing.md, and the flow `spoken` writes tests/review/spoken.yml.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [flow, program, directory] = process.argv.slice(2);
const require = createRequire(join(process.env.TREEGRAFT_TEST_NODE, "../package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const root = join(directory, "workspace");
const env = {
  ...process.env,
  XDG_STATE_HOME: join(directory, "state"),
  XDG_CONFIG_HOME: join(directory, "config"),
};
mkdirSync(root);
const path = (name) => join(root, name);
const read = (name) => readFileSync(path(name), "utf8");
const write = (name, text) => writeFileSync(path(name), text);

const SERVER = `//! The server of the shop.

use std::time::Duration;

/// What a client may ask for.
pub enum Method {
    Get,
    Post,
}

pub struct Server {
    timeout: Duration,
}

impl Server {
    /// Creates a server.
    pub fn new() -> Server {
        Server {
            timeout: Duration::from_secs(30),
        }
    }

    /// Answers a request.
    pub fn handle(&self, method: Method) -> Result<String, String> {
        match method {
            Method::Get => Ok("read".to_string()),
            Method::Post => Err("not allowed".to_string()),
        }
    }
}
`;
const BILL = `def price(items):
    total = 0
    for item in items:
        total += item.price
    return total


def tax(amount, rate):
    return amount * rate
`;

const children = [];

// An agent that may only stage edits.
class Agent {
  constructor() {
    this.process = spawn(program, ["serve", "--stage-only", "--root", root], { env, stdio: ["pipe", "pipe", "inherit"] });
    children.push(this.process);
    this.answers = new Map();
    createInterface({ input: this.process.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      this.answers.get(message.id)?.(message);
    });
    this.last = 0;
  }

  send(method, params, id) {
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  }

  request(method, params) {
    const id = ++this.last;
    this.send(method, params, id);
    return new Promise((resolve) => this.answers.set(id, resolve));
  }

  async open() {
    const clientInfo = { name: "claude-code", version: "1" };
    await this.request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    this.send("notifications/initialized", {});
    return this;
  }

  async call(name, args) {
    const { result } = await this.request("tools/call", { name, arguments: args });
    return result.structuredContent;
  }

  async stage(file_path, find, new_content) {
    const made = await this.call("replace_text", { file_path, find, new_content });
    assert.equal(made.status, "previewed", JSON.stringify(made));
    return made.edit_id;
  }
}

function startPage() {
  const server = spawn(program, ["review", "--no-open", "--root", root], { env, stdio: ["ignore", "ignore", "pipe"] });
  children.push(server);
  return new Promise((resolve) => {
    createInterface({ input: server.stderr }).on("line", (line) => {
      const link = line.match(/^reviewing at (\S+)$/);
      if (link) resolve(link[1]);
    });
  });
}

let browser;
async function openPage(link, { width = 1280, height = 800, scheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") page.problems.push(message.text());
  });
  page.on("dialog", (dialog) => {
    page.problems.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(link).origin) page.problems.push(request.url());
  });
  page.setDefaultTimeout(20000);
  await page.goto(link);
  await page.locator("#live.on").waitFor();
  return page;
}

async function check(page, state) {
  // The content policy of the page does not hold for the test itself.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run(document));
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("\n  ")}`);
  assert.deepEqual(found, [], state);
}

async function picture(page, name, size = null) {
  if (process.env.TREEGRAFT_RECORD !== "1") return;
  const before = page.viewportSize();
  if (size) await page.setViewportSize(size);
  await page.evaluate(() => (document.getElementById("roots").textContent = "/home/me/shop"));
  await page.screenshot({ path: `docs/${name}.png` });
  if (size) await page.setViewportSize(before);
}

// A picture of the flow, in the size of the others.
const step = (page, number) => picture(page, `review-flow-${number}`, { width: 960, height: 480 });

// Keeps the texts that the live regions of the page get, if they are in its accessibility tree.
function listen() {
  window.announced = [];
  const observer = new MutationObserver((records) => {
    for (const { addedNodes } of records) {
      for (const node of addedNodes) {
        const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
        const isHidden = !element?.isConnected || element.closest("[hidden], [aria-hidden=true]");
        if (!isHidden && element.closest("[role=status], [role=alert]")) window.announced.push(node.textContent);
      }
    }
  });
  observer.observe(document.body, { subtree: true, childList: true });
}

const view = (page, action) => page.locator(`#edit [data-do="${action}"]`);
const row = (page, text) => page.locator(".item", { hasText: text });
const status = (page, text) => page.locator("#status", { hasText: text }).waitFor();

const flows = {
  // An agent stages, the person discards one edit with a reason, accepts the others and undoes one.
  async decide() {
    write("server.rs", SERVER);
    write("bill.py", BILL);
    const agent = await new Agent().open();
    const page = await openPage(await startPage());
    await page.getByText("No staged edits").waitFor();

    const tax = await agent.stage("bill.py", "amount * rate", "round(amount * rate, 2)");
    await row(page, "tax").waitFor();
    await page.locator(`article[data-id="${tax}"]`).waitFor();
    assert.equal(await page.locator(".row.added .mark").first().textContent(), "round(");
    await agent.stage("server.rs", "Duration::from_secs(30)", "Duration::from_secs(60)");
    await agent.call("edit_nodes", {
      edits: [
        { op: "insert", file_path: "server.rs", selector: "enum_variant@Post", position: "after", new_content: "/// Replaces what is there.\nPut," },
        { op: "insert", file_path: "server.rs", selector: "match_arm@Method::Post =>", position: "after", new_content: 'Method::Put => Ok("replaced".to_string()),' },
        { op: "replace_text", file_path: "server.rs", find: 'Err("not allowed".to_string())', new_content: 'Ok("created".to_string())' },
      ],
    });
    await row(page, "Method.Post").waitFor();
    await row(page, "Method.Post").locator(".open").click();
    await page.locator(".row.added", { hasText: "Put," }).waitFor();
    assert.equal(await page.locator(".group h2").first().textContent(), "Staged by claude-code 3 edits");
    await step(page, 1);
    await page.locator("#message.idle").waitFor({ state: "attached" });
    await picture(page, "review");
    await page.emulateMedia({ colorScheme: "dark" });
    await picture(page, "review-dark");
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("button", { name: /^Show \d+ unchanged/ }).first().click();
    await page.locator(".row.same", { hasText: "//! The server of the shop." }).waitFor();
    await page.getByRole("button", { name: "Whole file" }).first().click();
    await page.waitForFunction((text) => {
      const rows = [...document.querySelectorAll(".row.same, .row.removed")];
      return rows.map((row) => row.querySelector("code").textContent.replace("removed: ", "")).join("\n") === text;
    }, SERVER.trimEnd());

    // By keys: to the oldest edit, which is not what the person wants.
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await row(page, "Server.new").and(page.locator(".current")).waitFor();
    await page.keyboard.press("j");
    await page.locator(`article[data-id="${tax}"]`).waitFor();
    await page.keyboard.press("d");
    await page.getByLabel("Reason").fill("rounding belongs into the invoice");
    await step(page, 2);
    await page.keyboard.press("Control+Enter");
    await status(page, "Discarded 1 edit");
    assert.equal(read("bill.py"), BILL);
    assert.equal(read("server.rs"), SERVER);

    await page.getByLabel("Select all").check();
    const acceptAll = page.locator("#accept-selected");
    assert.equal(await acceptAll.textContent(), "Accept 2 edits in 1 file");
    await step(page, 3);
    await acceptAll.click();
    await status(page, "Accepted 2 edits in 1 file");
    await step(page, 4);
    const accepted = read("server.rs");
    assert.equal(
      accepted,
      SERVER.replace("from_secs(30)", "from_secs(60)")
        .replace("    Post,\n", "    Post,\n    /// Replaces what is there.\n    Put,\n")
        .replace('Err("not allowed".to_string()),\n', 'Ok("created".to_string()),\n            Method::Put => Ok("replaced".to_string()),\n'),
    );
    assert.equal(read("bill.py"), BILL);

    const again = await agent.call("apply_edit", { edit_id: tax });
    assert.equal(again.error.code, "discarded");
    assert.match(again.error.message, /rounding belongs into the invoice/);

    await page.keyboard.press("u");
    await status(page, "Undid 2 edits");
    assert.equal(read("server.rs"), SERVER);
    await page.locator(".group h2", { hasText: "Undone 2" }).waitFor();

    // A file that changes makes an edit stale, which the page shows.
    write("server.rs", SERVER.replace("from_secs(30)", "from_secs(45)"));
    await row(page, "Server.new").locator(".open").click();
    await page.locator(".since", { hasText: "cannot be accepted" }).waitFor();
    await page.keyboard.press("a");
    await page.locator("#problems", { hasText: "stale_edit" }).waitFor();
    assert.match(read("server.rs"), /from_secs\(45\)/);
    assert.deepEqual(page.problems, []);
  },

  // Files change under staged edits: the list marks those that do not fit any more, and each is shown as it is now.
  async stale() {
    write("server.rs", SERVER);
    for (const name of ["bill.py", "report.py", "other.py"]) write(name, BILL);
    const agent = await new Agent().open();
    const timeout = await agent.stage("server.rs", "Duration::from_secs(30)", "Duration::from_secs(60)");
    const rounded = "def tax(amount, rate):\n    return round(amount * rate, 2)";
    const { edit_id: tax } = await agent.call("replace_node", { file_path: "bill.py", selector: "function_definition@tax", new_content: rounded });
    const returned = { path: ["report.py", "other.py"], pattern: "return $A", new_content: "return float($A)", language: "python" };
    const { edit_id: rewrite } = await agent.call("rewrite", returned);
    const whole = await agent.call("rewrite", { path: ["other.py"], pattern: "item.price", new_content: "item.cost", language: "python" });
    const page = await openPage(await startPage());
    const item = (id) => page.locator(`.item[data-id="${id}"]`);
    const mark = (id, text) => item(id).locator(".badge.fit", { hasText: text }).waitFor();
    const show = async (id) => {
      await item(id).locator(".open").click();
      await page.locator(`article[data-id="${id}"]`).waitFor();
    };
    await show(whole.edit_id);
    assert.equal(await page.locator(".badge.fit").count(), 0);

    // Elsewhere in the file: it still fits. At the edit: it does not. The shown edit is another one.
    write("server.rs", `// Elsewhere.\n${SERVER}`);
    write("bill.py", BILL.replace("amount * rate", "amount * rate * 2"));
    await mark(tax, "stale");
    await status(page, "1 edit is stale now");
    assert.equal(await item(tax).locator("input").getAttribute("aria-label"), "Select bill.py: tax (stale)");
    assert.equal(await item(timeout).locator(".badge.fit").count(), 0);
    await check(page, "a list with a stale edit");
    await show(tax);
    await page.locator(".since .row.removed", { hasText: "amount * rate * 2" }).waitFor();
    await page.locator(".since .row.added", { hasText: "round(amount * rate, 2)" }).waitFor();
    await check(page, "a stale edit");
    await picture(page, "review-stale");
    write("bill.py", BILL);
    await item(tax).locator(".badge.fit").waitFor({ state: "detached" });
    await page.locator(".since").waitFor({ state: "detached" });

    // What is left of a rewrite: one match in one file, all of the other one.
    await show(rewrite);
    await page.getByLabel("Accept match 1").uncheck();
    await page.getByLabel("Accept the changes of other.py").uncheck();
    await page.keyboard.press("a");
    await status(page, "what you left out is still staged");
    const rest = await page.locator("article").getAttribute("data-id");
    assert.notEqual(rest, rewrite);
    const report = read("report.py");
    write("report.py", report.replace("return total", "return subtotal"));
    write("other.py", `${BILL}\n\ndef nothing():\n    return 0\n`);
    await mark(rest, "stale");
    const added = page.locator(".since .row.added");
    await added.filter({ hasText: "return float(0)" }).waitFor();
    assert.deepEqual(
      (await added.locator("code").allTextContents()).map((text) => text.replace("added: ", "").trim()),
      ["return float(subtotal)", "return float(total)", "return float(amount * rate)", "return float(0)"],
    );
    const idsOf = () => [...document.querySelectorAll(".item.previewed")].map((one) => one.dataset.id);
    const ids = await page.evaluate(idsOf);
    await page.keyboard.press("a");
    await page.locator("#problems", { hasText: "stale_edit" }).waitFor();
    await status(page, "Nothing was written: the edit is refused");
    await page.waitForFunction((count) => document.querySelectorAll(".item.previewed").length > count, ids.length);
    await show((await page.evaluate(idsOf)).find((id) => !ids.includes(id)));
    await page.locator(".row.added", { hasText: "return float(subtotal)" }).waitFor();
    assert.deepEqual(await page.locator(".since").allTextContents(), []);
    await page.keyboard.press("a");
    await status(page, "Accepted 1 edit in 2 files");
    assert.equal(read("report.py"), report.replace("return total", "return float(subtotal)"));
    // The other rewrite of that file: the text of its match is gone.
    write("other.py", "def price(items):\n    return 0\n");
    await mark(whole.edit_id, "stale");
    await show(whole.edit_id);
    await page.locator(".since", { hasText: "The same request is now refused: no match is left to rewrite" }).waitFor();
    assert.equal(read("server.rs"), `// Elsewhere.\n${SERVER}`);
    assert.deepEqual(page.problems, []);
  },

  // The person leaves out files and matches, and accepts several edits as one transaction.
  async choose() {
    write("server.rs", SERVER);
    write("bill.py", BILL);
    write("report.py", BILL);
    const agent = await new Agent().open();
    const timeout = await agent.stage("server.rs", "Duration::from_secs(30)", "Duration::from_secs(60)");
    const made = await agent.call("rewrite", { path: ".", pattern: "return $A", new_content: "return float($A)", language: "python" });
    const page = await openPage(await startPage());
    await page.locator(`article[data-id="${made.edit_id}"]`).waitFor();
    const accept = page.locator('[data-do="accept"]');
    assert.equal(await accept.textContent(), "Accept 2 files a");
    // A match, and then the other one: the file.
    const match = page.getByLabel("Accept match 1");
    await match.uncheck();
    assert.equal(await accept.textContent(), "Accept 3 of 4 matches in 2 files a");
    const file = page.getByLabel("Accept the changes of bill.py");
    assert.equal(await file.evaluate((box) => box.indeterminate), true);
    await page.getByLabel("Accept match 2").uncheck();
    assert.equal(await file.isChecked(), false);
    assert.equal(await accept.textContent(), "Accept 2 of 4 matches in 1 file a");
    await match.check();
    assert.equal(await accept.textContent(), "Accept 3 of 4 matches in 2 files a");
    await check(page, "choices");
    await picture(page, "review-parts");
    // The choice stays while another edit is shown, and what is written is what the button says.
    await page.locator(`.item[data-id="${timeout}"] .open`).click();
    await page.locator(`article[data-id="${timeout}"]`).waitFor();
    await page.keyboard.press(" ");
    await page.locator(`.item[data-id="${made.edit_id}"] .open`).click();
    await page.locator(`article[data-id="${made.edit_id}"]`).waitFor();
    assert.equal(await page.getByLabel("Accept match 2").isChecked(), false);
    await page.keyboard.press(" ");
    assert.equal(await page.locator("#accept-selected").textContent(), "Accept 2 edits in 3 files");
    await page.keyboard.press("a");
    await status(page, "Accepted 2 edits in 3 files; what you left out is still staged");
    assert.equal(read("bill.py"), BILL.replace("return total", "return float(total)"));
    assert.equal(read("report.py"), BILL.replaceAll(/return (.+)/g, "return float($1)"));
    assert.match(read("server.rs"), /from_secs\(60\)/);
    // The rest is shown next, and can be discarded with a reason.
    await page.locator(".row.added", { hasText: "float(amount * rate)" }).waitFor();
    const rest = await page.locator("article").getAttribute("data-id");
    assert.notEqual(rest, made.edit_id);
    await page.keyboard.press("u");
    await status(page, "Undid 2 edits in 3 files");
    assert.equal(read("bill.py"), BILL);

    // By keys: of two files, the second one.
    const both = await agent.call("edit_nodes", {
      edits: [
        { op: "replace_text", file_path: "bill.py", find: "total = 0", new_content: "total = 0.0" },
        { op: "replace_text", file_path: "report.py", find: "total = 0", new_content: "total = 0.0" },
      ],
    });
    await page.locator(`.item[data-id="${both.edit_id}"] .open`).click();
    await page.locator(`article[data-id="${both.edit_id}"]`).waitFor();
    await page.locator("#path-0").focus();
    await page.keyboard.press("x");
    assert.equal(await accept.textContent(), "Accept 1 of 2 files a");
    await page.locator("#path-1").focus();
    await page.keyboard.press("x");
    assert.equal(await accept.isDisabled(), true);
    await page.keyboard.press("x");
    await page.keyboard.press("a");
    await status(page, "Accepted 1 edit in 1 file");
    assert.equal(read("bill.py"), BILL);
    assert.match(read("report.py"), /total = 0\.0/);

    // One that is refused: nothing is written.
    write("report.py", BILL.replace("total = 0", "total = 9"));
    const stale = await agent.stage("report.py", "total = 9", "total = 10");
    const fits = await agent.stage("bill.py", "item.price", "item.cost");
    write("report.py", BILL.replace("total = 0", "total = 8"));
    await page.locator(`.item[data-id="${fits}"] input`).check();
    await page.locator(`.item[data-id="${stale}"] input`).check();
    await page.locator("#accept-selected").click();
    await status(page, "Nothing was written: 1 of 2 edits is refused");
    await page.locator("#problems", { hasText: "report.py: refused" }).waitFor();
    assert.equal(read("bill.py"), BILL);
    await check(page, "a refusal of one of several");
    assert.deepEqual(page.problems, []);
  },

  // The person selects another node for an edit: by mouse, and by keys.
  async target() {
    write("bill.py", BILL);
    const agent = await new Agent().open();
    const replace = (new_content) => agent.call("replace_node", { file_path: "bill.py", selector: "binary_operator@amount * rate", new_content });
    const first = await replace("amount");
    assert.equal(first.status, "previewed", JSON.stringify(first));
    const page = await openPage(await startPage());
    await page.locator(`article[data-id="${first.edit_id}"]`).waitFor();
    const around = page.locator("#around");
    const chosen = around.locator("strong");
    // Moves over a word of a line.
    const over = async (line, word) => {
      const place = await page.locator(line).evaluate((code, word) => {
        const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          const at = walker.currentNode.data.indexOf(word);
          if (at < 0) continue;
          const range = document.createRange();
          range.setStart(walker.currentNode, at);
          range.setEnd(walker.currentNode, at + word.length);
          const { x, y, width, height } = range.getBoundingClientRect();
          return [x + width / 4, y + height / 2];
        }
        throw new Error(`no ${word}`);
      }, word);
      await page.mouse.move(...place);
      return place;
    };
    const removed = ".row.removed code";
    await over(removed, "rate");
    await around.getByText("identifier < binary_operator < return_statement < block").waitFor();
    assert.equal(await around.locator("code").textContent(), "identifier@* <|>rate (find)");
    // Another word: the chain of that one.
    await over(removed, "return");
    await around.getByText("return_statement < block < function_definition").waitFor();
    assert.equal(await chosen.textContent(), "return_statement");
    assert.equal(await page.locator(".row.pointed").count(), 1);
    await page.keyboard.press("o");
    await page.keyboard.press("o");
    assert.equal(await chosen.textContent(), "function_definition");
    assert.equal(await around.locator("code").textContent(), "function_definition@tax");
    assert.equal(await page.locator(".row.pointed").count(), 2);
    await check(page, "the nodes around the pointer");
    await picture(page, "review-target", { width: 960, height: 480 });
    await page.keyboard.press("i");
    await page.keyboard.press("i");
    assert.equal(await chosen.textContent(), "return_statement");
    // One click.
    await page.mouse.down();
    await page.mouse.up();
    await status(page, "Staged for the other node");
    await page.locator(".row.added", { hasText: /^[^*]*amount$/ }).waitFor();
    const clicked = await page.locator("article").getAttribute("data-id");
    assert.notEqual(clicked, first.edit_id);
    // And back.
    await page.getByRole("button", { name: "Undo" }).click();
    await status(page, "Staged for the former node again");
    await page.locator(".row.added", { hasText: "return amount" }).waitFor();
    const former = await page.locator("article").getAttribute("data-id");
    assert.ok(![first.edit_id, clicked].includes(former), former);
    // A wider node. A click takes only what is shown.
    const place = await over(removed, "rate");
    await page.mouse.click(...place);
    await around.getByText("identifier < binary_operator").waitFor();
    assert.equal(await page.locator("article").getAttribute("data-id"), former);
    await page.keyboard.press("o");
    await page.mouse.click(...place);
    // The node that it already has.
    await page.locator("#problems", { hasText: "it is already the edit of that node" }).waitFor();
    await status(page, "The edit is refused for that node");
    assert.equal(await page.locator("article").getAttribute("data-id"), former);
    await page.locator("#problems button", { hasText: "Close" }).click();
    await over(removed, "return");
    await around.getByText("return_statement < block").waitFor();
    await page.keyboard.press("o");
    await page.keyboard.press("o");
    await page.mouse.down();
    await page.mouse.up();
    await status(page, "Staged for the other node");
    await page.locator(".row.removed", { hasText: "def tax(amount, rate):" }).waitFor();
    await page.keyboard.press("u");
    await status(page, "Staged for the former node again");
    await page.locator(".row.same", { hasText: "def tax(amount, rate):" }).waitFor();
    const back = await page.locator("article").getAttribute("data-id");
    // The list, for a pointer that shows nothing before it clicks.
    const node = page.locator("#target-nodes button");
    await over(removed, "return");
    await page.keyboard.down("Shift");
    await page.mouse.down();
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await node.first().waitFor();
    assert.equal(await node.first().locator(".kind").textContent(), "return_statement");
    await check(page, "the nodes around a position");
    await page.keyboard.press("Escape");

    // By keys: the line, and the node.
    await page.keyboard.press("t");
    await page.getByLabel("Line before the edit").fill("2");
    const total = page.locator("#target-nodes button", { hasText: "line 2" }).first();
    await total.waitFor();
    assert.equal(await total.locator(".kind").textContent(), "identifier");
    await total.focus();
    await page.keyboard.press("Enter");
    await status(page, "Staged for the other node");
    await page.locator(".row.added", { hasText: "amount = 0" }).waitFor();
    const other = await page.locator("article").getAttribute("data-id");
    assert.notEqual(other, back);
    const gone = await agent.call("apply_edit", { edit_id: back });
    assert.match(gone.error.message, new RegExp(`staged as edit ${other}`));
    // A node that does not fit: the edit stays.
    await page.keyboard.press("t");
    await page.getByLabel("Line before the edit").fill("3");
    await page.locator("#target-nodes button", { hasText: "for_statement" }).waitFor();
    await page.getByLabel("Line before the edit").fill("999");
    await page.locator("#target-count", { hasText: "line" }).waitFor();
    await page.locator("#target-dialog button", { hasText: "Cancel" }).click();
    await page.locator(`article[data-id="${other}"]`).waitFor();
    assert.equal(read("bill.py"), BILL);

    // One of several edits of a call, of which one replaces a text.
    const several = await agent.call("edit_nodes", {
      edits: [
        { op: "replace", file_path: "bill.py", selector: { anchor_text: "def price(items):", ancestor_node_type: "identifier", nth: 1 }, new_content: "sum_of" },
        { op: "replace_text", file_path: "bill.py", find: "amount", scope: { line: 8 }, new_content: "value" },
      ],
    });
    assert.equal(several.status, "previewed", JSON.stringify(several));
    await page.locator(`.item[data-id="${several.edit_id}"] .open`).click();
    await page.locator(`article[data-id="${several.edit_id}"]`).waitFor();
    await page.keyboard.press("t");
    const edits = page.getByLabel("Edit of the call");
    assert.deepEqual(await edits.locator("option").allTextContents(), ["0: replace identifier, line 1", "1: replace text in identifier, line 8"]);
    await check(page, "the edits of a call");
    await edits.selectOption("1");
    await page.getByLabel("Line before the edit").fill("9");
    await page.locator("#target-nodes button", { hasText: "return_statement" }).click();
    await status(page, "Staged for the other node");
    await page.locator(".row.added", { hasText: "value * rate" }).waitFor();
    await page.locator(".row.added", { hasText: "def sum_of(items):" }).waitFor();
    // A pattern has no other target.
    const rewrite = await agent.call("rewrite", { path: "bill.py", pattern: "total", new_content: "sum", language: "python" });
    await page.locator(`.item[data-id="${rewrite.edit_id}"] .open`).click();
    await page.locator(`article[data-id="${rewrite.edit_id}"]`).waitFor();
    await page.keyboard.press("t");
    await status(page, "a pattern determines its matches");
    assert.equal(read("bill.py"), BILL);
    // The browser reports the answer about the line that does not exist.
    const problems = page.problems.filter((problem) => !problem.includes("404"));
    assert.deepEqual(problems, []);
  },

  async hostile() {
    const name = "<img src=x onerror=alert(1)>.py";
    write(name, BILL);
    const agent = await new Agent().open();
    const link = await startPage();
    const page = await openPage(link);
    const script = "</code><script>alert(2)</script><img src=x onerror=alert(3)>";
    const edit = await agent.stage(name, "amount * rate", `amount * rate  # ${script}`);
    await page.locator(`article[data-id="${edit}"]`).waitFor();
    assert.ok((await page.locator(".row.added code").textContent()).includes(script));
    const file = await page.locator(".file h3").textContent();
    assert.ok(file.startsWith(name), file);
    await page.keyboard.press("d");
    await page.getByLabel("Reason").fill(script);
    await page.locator("#discard-now").click();
    await status(page, "Discarded");
    await row(page, script).waitFor();
    await row(page, script).locator(".open").click();
    await page.locator(".note", { hasText: script }).waitFor();
    assert.equal(await page.locator("script, img").count(), 2);
    assert.deepEqual(page.problems, []);

    // The list of nodes for another target shows the same names, lines and selectors.
    const hard = "x = '<script>alert(4)</script>\u202e\u001b[31m\u{e0041}'; y = f('\u200b', 1)  # <img src=x onerror=alert(5)>";
    const long = `z = [${Array.from({ length: 4000 }, (_, n) => `"<b>${n}</b>"`).join(", ")}]`;
    write("hard\u202e<b>.py", `${hard}\n${long}\n`);
    const make = (edits) => agent.call("edit_nodes", { edits });
    const both = await make([
      { op: "replace", file_path: "hard\u202e<b>.py", selector: "integer@1", new_content: "2" },
      { op: "replace_text", file_path: "hard\u202e<b>.py", find: '"<b>7</b>"', new_content: '"</script><script>alert(6)</script>"' },
    ]);
    assert.equal(both.status, "previewed", JSON.stringify(both));
    await page.locator(`.item[data-id="${both.edit_id}"] .open`).click();
    await page.locator(`article[data-id="${both.edit_id}"]`).waitFor();
    // A click on the number, after characters that are written out, is on the number.
    const place = await page.evaluate(() => {
      const code = document.querySelector(".row.removed code");
      const number = [...code.querySelectorAll(".number")].at(-1);
      const { x, y, width, height } = number.getBoundingClientRect();
      return [x + width / 4, y + height / 2];
    });
    await page.mouse.move(...place);
    await page.locator("#around", { hasText: "integer <" }).waitFor();
    await page.keyboard.press("o");
    await page.keyboard.press("o");
    const pointed = await page.locator("#around").textContent();
    assert.ok(pointed.includes("assignment"), pointed);
    await page.keyboard.down("Shift");
    await page.mouse.click(...place);
    await page.keyboard.up("Shift");
    const nodes = page.locator("#target-nodes button");
    await nodes.first().waitFor();
    assert.equal(await nodes.first().locator(".kind").textContent(), "integer");
    await page.getByLabel("Line before the edit").fill("1");
    await nodes.filter({ hasText: "alert(4)" }).first().waitFor();
    const shown = await page.locator("#target-nodes").textContent();
    assert.ok(shown.includes("<script>alert(4)</script>\\u{202e}"), shown);
    for (const sign of ["\u202e", "\u001b", "\u{e0041}", "\u200b"]) assert.ok(!shown.includes(sign), shown);
    const choices = await page.getByLabel("Edit of the call").locator("option").allTextContents();
    assert.deepEqual(choices, ["0: replace integer, line 1", "1: replace text in string, line 2"]);
    await page.getByLabel("Line before the edit").fill("2");
    await nodes.filter({ hasText: "line 2" }).first().waitFor();
    const longest = await nodes.evaluateAll((all) => Math.max(...all.map((one) => one.textContent.length)));
    assert.ok(longest < 1000, `${longest} characters`);
    const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(width <= 0, `${width} pixels too wide`);
    await check(page, "hostile nodes");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("script, img").count(), 2);
    assert.deepEqual(page.problems, []);

    // The page of another origin: neither its requests nor its forms and frames get anything.
    const other = await agent.stage(name, "total = 0", "total = 1");
    const { origin, hash } = new URL(link);
    const foreign = await browser.newPage();
    await foreign.route("http://attacker.example/", (route) => route.fulfill({ contentType: "text/html", body: "<form></form>" }));
    await foreign.goto("http://attacker.example/");
    const attempts = await foreign.evaluate(
      async ([origin, token, edit]) => {
        const body = JSON.stringify({ edit_ids: [edit] });
        const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
        const outcome = (promise) => promise.then((answer) => answer.type, () => "failed");
        const frame = document.createElement("iframe");
        frame.src = `${origin}/#${token}`;
        document.body.append(frame);
        return [
          await outcome(fetch(`${origin}/api/apply`, { method: "POST", headers, body })),
          await outcome(fetch(`${origin}/api/edits`, { headers })),
          await outcome(fetch(`${origin}/api/apply`, { method: "POST", mode: "no-cors", body })),
        ];
      },
      [origin, hash.slice(1), other],
    );
    // The browser sends the last one, but neither the token nor the type of the content.
    assert.deepEqual(attempts.slice(0, 2), ["failed", "failed"]);
    assert.ok(["failed", "opaque"].includes(attempts[2]), attempts[2]);
    await foreign.waitForTimeout(300);
    const frames = foreign.frames().slice(1);
    assert.ok(frames.every((frame) => !frame.url().startsWith(origin)), frames.map((frame) => frame.url()).join());
    assert.equal(read(name), BILL);
    await row(page, "price").waitFor();
  },

  async accessible() {
    write("server.rs", SERVER);
    write("bill.py", BILL);
    const agent = await new Agent().open();
    await agent.stage("server.rs", "Duration::from_secs(30)", "Duration::from_secs(60)");
    await agent.stage("bill.py", "total = 0", "total = 1  # \u200b not zero");
    const discarded = await agent.stage("bill.py", "amount * rate", "rate * amount");
    await agent.call("replace_node", { file_path: "bill.py", selector: "function_definition@def taxes", new_content: "x" });
    const link = await startPage();
    for (const scheme of ["light", "dark"]) {
      const page = await openPage(link, { scheme });
      await page.locator("article").waitFor();
      await check(page, `${scheme}: the newest edit`);
      await row(page, "Server.new").locator(".open").click();
      await page.locator(".row.added .number").waitFor();
      await check(page, `${scheme}: a diff`);
      await page.keyboard.press("s");
      await page.locator(".pair .added").waitFor();
      await check(page, `${scheme}: a split diff`);
      assert.equal(await page.locator(".pair .removed + .added").count(), 1);
      await row(page, "refused").locator(".open").click();
      await page.getByText("treegraft refused this edit").waitFor();
      await check(page, `${scheme}: a refusal`);
      await page.keyboard.press("?");
      await page.locator("#help[open]").waitFor();
      await check(page, `${scheme}: the help`);
      await page.keyboard.press("Escape");
      await page.locator(`.item[data-id="${discarded}"] .open`).click();
      if (scheme === "light") {
        await page.locator(`article[data-id="${discarded}"]`).waitFor();
        await page.keyboard.press("d");
        await page.locator("dialog[open]").waitFor();
        await check(page, `${scheme}: the reason`);
        await page.getByLabel("Reason").fill("no");
        await page.locator("#discard-now").click();
        await status(page, "Discarded");
      }
      await check(page, `${scheme}: after a decision`);
      assert.deepEqual(page.problems, []);

      const wide = await openPage(link, { scheme, width: 2560, height: 1200 });
      await row(wide, "Server.new").locator(".open").click();
      await wide.locator(".row.added .number").waitFor();
      await check(wide, `${scheme}: a diff at 2560 pixels`);
      assert.deepEqual(wide.problems, []);

      const narrow = await openPage(link, { scheme, width: 320, height: 640 });
      await row(narrow, "Server.new").waitFor();
      await check(narrow, `${scheme}: the list at 320 pixels`);
      await row(narrow, "Server.new").locator(".open").click();
      await narrow.locator(".row.added").waitFor();
      await check(narrow, `${scheme}: a diff at 320 pixels`);
      const width = await narrow.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 320, `${width} pixels wide`);
      await narrow.getByRole("button", { name: "All edits" }).click();
      await row(narrow, "Server.new").waitFor();
      assert.deepEqual(narrow.problems, []);
    }
  },

  // What a screen reader reads of the main states, in tests/review/spoken.yml, and what it announces by itself.
  async spoken() {
    write("server.rs", SERVER);
    write("bill.py", BILL);
    const agent = await new Agent().open();
    const timeout = await agent.stage("server.rs", "Duration::from_secs(30)", "Duration::from_secs(60)");
    const page = await openPage(await startPage());
    await page.locator(`article[data-id="${timeout}"]`).waitFor();
    await page.evaluate(listen);
    const trees = [];
    const tree = async (state, locator) => {
      const text = await locator.ariaSnapshot();
      trees.push(`# ${state}\n${text.replaceAll(/e[0-9a-f]{12}/g, "ID").replaceAll(/\b\d+s\b/g, "0s").replaceAll(root, "/shop")}\n`);
    };
    // Waits until a text is announced.
    const announced = async (text) => {
      await page.waitForFunction((text) => window.announced.some((one) => one.includes(text)), text);
      await page.evaluate(() => (window.announced = []));
    };
    // Waits until an element has the focus: that with an id, or the button of an action.
    const focuses = (name) => page.waitForFunction((name) => {
      const { id, dataset } = document.activeElement;
      return (id || dataset.do) === name;
    }, name);

    const tax = await agent.stage("bill.py", "amount * rate", "round(amount * rate, 2)");
    await announced("1 new edit");
    await tree("The page, with the first edit opened", page.locator("body"));
    assert.equal(await page.locator(".item [aria-current=true]").count(), 1);
    await page.locator("#split").click();
    await page.locator(".pair .added").waitFor();
    await tree("A diff, side by side", page.locator(".file"));
    await page.locator("#split").click();

    // Dialogs take the focus and give it back.
    const discard = view(page, "discard");
    await discard.focus();
    await page.keyboard.press("Enter");
    await page.locator("#discard-dialog[open]").waitFor();
    await focuses("reason");
    await tree("The question for a reason", page.locator("#discard-dialog"));
    await page.keyboard.press("Escape");
    await focuses("discard");
    await page.locator("#help-button").focus();
    await page.keyboard.press("Enter");
    await focuses("help-title");
    await page.keyboard.press("Escape");
    await focuses("help-button");
    // Times have seconds, and the list has the newest first.
    await page.waitForTimeout(1100);
    const node = await agent.call("replace_node", { file_path: "bill.py", selector: "integer@0", new_content: "0.0" });
    await announced("1 new edit");
    await page.locator(`.item[data-id="${node.edit_id}"] .open`).click();
    await page.locator(`article[data-id="${node.edit_id}"]`).waitFor();
    await view(page, "target").focus();
    await page.keyboard.press("Enter");
    await page.locator("#target-nodes button").first().waitFor();
    await focuses("target-line");
    await announced("nodes, the innermost first");
    await tree("The nodes for which an edit can be made", page.locator("#target-dialog"));
    await page.keyboard.press("Escape");
    await focuses("target");

    // A file of the shown edit changes. The focus stays.
    write("bill.py", BILL.replace("total = 0", "total = 9"));
    await announced("The file changed since the preview, so this edit cannot be accepted");
    await focuses("target");
    await tree("A stale edit", page.getByRole("region", { name: "Changes since then" }));
    await view(page, "accept").focus();
    await page.keyboard.press("Enter");
    await announced("bill.py: refused");
    await announced("Nothing was written: the edit is refused");
    await tree("A refusal", page.locator("#problems"));
    await focuses("accept");

    // The next edit has the focus after a decision.
    await page.locator(`.item[data-id="${tax}"] .open`).click();
    await page.locator(`article[data-id="${tax}"]`).waitFor();
    await view(page, "accept").focus();
    await page.keyboard.press("Enter");
    await announced("Accepted 1 edit in 1 file");
    await focuses("edit-title");
    write("bill.py", read("bill.py").replace("total = 9", "total = 8"));
    await page.locator(`.item[data-id="${tax}"] .open`).click();
    await page.locator(".since", { hasText: "Undo keeps these changes" }).waitFor();
    await tree("An undo before it is made", page.locator("#edit"));
    // Another program undoes it.
    spawnSync(program, ["undo", tax, "--root", root], { env, cwd: root });
    await announced("This edit is now undone");
    await page.locator(`.item.undone[data-id="${tax}"]`).waitFor();
    await page.locator(`.item[data-id="${node.edit_id}"] .badge.fit`, { hasText: "stale" }).waitFor();
    assert.equal(await page.locator(".badge.fit").count(), 1);
    await page.locator("#all").check();
    await tree("The list, with selected edits", page.getByRole("navigation"));
    children.at(-1).kill();
    await announced("Disconnected");

    const text = trees.join("\n");
    const file = "tests/review/spoken.yml";
    if (process.env.TREEGRAFT_RECORD === "1") writeFileSync(file, text);
    assert.equal(text, readFileSync(file, "utf8"));
  },

  async large() {
    write("many.py", "a = 0\n");
    const lines = (word, length) => Array.from({ length }, (_, n) => `    ${word}${n},\n`).join("");
    const long = (word) => `x = [\n${lines(word, 3000)}]\n\ny = [\n${lines("z", 47000)}]\n`;
    write("long.py", long("b"));
    // Copies of one record: making each edit takes longer than the rest of the test.
    const stage = ["replace-text", "many.py", "--find", "a = 0", "--content", "a = 1", "--root", root, "--json"];
    const { edit_id } = JSON.parse(spawnSync(program, stage, { env, cwd: root }).stdout);
    const state = join(env.XDG_STATE_HOME, "treegraft");
    const records = join(state, readdirSync(state).find((name) => name.startsWith("edits-")));
    const record = readFileSync(join(records, `${edit_id}.json`), "utf8");
    for (let n = 1; n < 1000; n++) {
      const other = `e${n.toString(16).padStart(12, "0")}`;
      writeFileSync(join(records, `${other}.json`), record.replaceAll(edit_id, other));
    }
    const replace = ["replace", "long.py", "--anchor", "x = [", "--ancestor", "assignment", "--content-file", "-", "--root", root];
    const content = `x = [\n${lines("c", 3000)}]`;
    const replaced = spawnSync(program, replace, { env, cwd: root, input: content, maxBuffer: 1 << 28 });
    assert.equal(replaced.status, 0, replaced.stderr.toString().slice(-500));
    const page = await openPage(await startPage());
    await page.locator(".item").nth(1000).waitFor({ state: "attached" });
    await page.locator(".chunk").first().waitFor();
    const took = async (what, work) => {
      const start = Date.now();
      await work();
      assert.ok(Date.now() - start < 20000, `${what} took ${Date.now() - start} ms`);
    };
    await took("50 steps", async () => {
      for (let n = 0; n < 50; n++) await page.keyboard.press("j");
      await page.waitForFunction(() => [...document.querySelectorAll(".item")].findIndex((item) => item.matches(".current")) === 50);
    });
    await row(page, "long.py").locator(".open").click();
    await page.locator("article", { hasText: "long.py" }).waitFor();
    await took("20 screens", async () => {
      for (let n = 0; n < 20; n++) {
        await page.mouse.move(800, 500);
        await page.mouse.wheel(0, 800);
        await page.waitForTimeout(20);
      }
    });
    const rows = await page.locator(".row").count();
    assert.ok(rows < 5000, `${rows} rows`);
    // The whole file in one action, of which only what is in view is loaded.
    await page.keyboard.press("e");
    await page.waitForFunction(() => {
      scrollTo(0, document.body.scrollHeight);
      return [...document.querySelectorAll(".row.same")].slice(-2).some((row) => row.textContent.includes("z46999,"));
    });
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight / 2));
    await page.waitForFunction(() => {
      const { top } = document.querySelector("#edit").getBoundingClientRect();
      const element = document.elementFromPoint(innerWidth - 300, innerHeight / 2);
      return top < 0 && element?.closest(".row.same");
    });
    const loaded = await page.locator(".row").count();
    assert.ok(loaded < 15000, `${loaded} rows`);
    assert.equal(await page.locator(".gap").count(), 0);
    await page.locator("#all").check();
    await page.getByText("1001 selected").waitFor();
    assert.equal(await page.locator("#accept-selected").textContent(), "Accept 1001 edits in 2 files");
    assert.deepEqual(page.problems, []);
  },
};

try {
  browser = await chromium.launch({ executablePath: process.env.TREEGRAFT_TEST_CHROMIUM, chromiumSandbox: false });
  await flows[flow]();
} finally {
  await browser?.close();
  for (const child of children) child.kill();
}
