// The review page. The token is in the fragment of the address and nowhere else; every request for data sends it.
// The server renders all HTML, with every text escaped.

const token = location.hash.slice(1);
const byId = (id) => document.getElementById(id);
const list = byId("list");
const view = byId("edit");
const columns = byId("columns");
const parser = new DOMParser();
const narrow = matchMedia("(max-width: 48rem)");

const selected = new Set();
let known = null; // the ids of the staged edits of the last list
let stale = new Set(); // the ids of the staged edits that are marked as stale
let current = null; // the id of the shown edit
let lastAccepted = [];
let lastTarget = null; // the id of the edit that was last staged for another node
let toDiscard = [];
// What is left out of each edit: the numbers of files, and of parts by the number of their file.
const leftOut = new Map();
// The digest of the diff that each edit was last shown with.
const shown = new Map();

// Requests

async function request(path, options = {}) {
  const headers = { ...options.headers, Authorization: `Bearer ${token}` };
  const response = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });
  if (response.status === 401) {
    report("Open the link that `treegraft review` printed: this one has no valid token.");
    setLive(false, "No access");
  }
  return response;
}

async function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await request(path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

// Returns the elements of a text that the server rendered. Scripts in parsed documents never run.
async function fragment(path) {
  const response = await request(path);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return [...parser.parseFromString(text, "text/html").body.children];
}

// Messages

// The element of the message stays in the page, so that screen readers notice each new text.
let hiding = 0;
function say(text, canUndo = false) {
  byId("status").textContent = text;
  byId("undo-last").hidden = !canUndo;
  byId("message").classList.remove("idle");
  clearTimeout(hiding);
  hiding = setTimeout(hideMessage, canUndo ? 15000 : 6000);
}

// Says what happens by itself. It does not replace what the person can still take back.
function tell(text) {
  if (byId("undo-last").hidden) return say(text);
  const said = byId("status").textContent.split(" | ")[0];
  byId("status").textContent = `${said} | ${text}`;
}

function hideMessage() {
  byId("message").classList.add("idle");
  byId("status").textContent = "";
  byId("undo-last").hidden = true;
}

function report(head, text = "") {
  const note = document.createElement("div");
  note.className = "note problem";
  const line = document.createElement("div");
  line.className = "problem-head";
  const title = document.createElement("p");
  title.textContent = head;
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "Close";
  close.addEventListener("click", () => note.remove());
  line.append(title, close);
  note.append(line);
  if (text) {
    const detail = document.createElement("pre");
    detail.textContent = text;
    // It may be long, and scrolls by keys.
    detail.tabIndex = 0;
    detail.setAttribute("role", "group");
    detail.setAttribute("aria-label", "Refusal");
    note.append(detail);
  }
  byId("problems").prepend(note);
  for (const old of [...byId("problems").children].slice(5)) old.remove();
  if (narrow.matches) columns.classList.add("shows-edit");
}

// Dialogs

// The browser gives the focus back to the element that had it. If the edit is loaded again meanwhile, that one is gone.
let before = null;
function show(dialog) {
  before = focusedIn(view);
  dialog.showModal();
}

for (const dialog of document.querySelectorAll("dialog")) {
  dialog.addEventListener("close", () => {
    const active = document.activeElement;
    const isLost = active === document.body || dialog.contains(active);
    if (isLost && before) view.querySelector(before)?.focus({ preventScroll: true });
    before = null;
  });
}

// The list

const items = () => [...list.querySelectorAll(".item")];
const itemOf = (id) => (id ? list.querySelector(`.item[data-id="${CSS.escape(id)}"]`) : null);

let isLoading = false;
let isOutdated = false;
async function loadList() {
  if (isLoading) {
    isOutdated = true;
    return;
  }
  isLoading = true;
  try {
    do {
      isOutdated = false;
      showList(await fragment("api/edits"));
    } while (isOutdated);
  } catch (error) {
    if (byId("live").classList.contains("on")) report("The list cannot be loaded.", error.message);
  } finally {
    isLoading = false;
  }
}

function showList(elements) {
  const active = document.activeElement;
  const focused = active?.closest?.(".item")?.dataset.id;
  const role = active?.matches?.("input") ? "input" : ".open";
  list.replaceChildren(...elements);
  const groups = list.querySelector(".groups");
  byId("roots").textContent = groups.dataset.roots;
  const pending = Number(groups.dataset.pending);
  document.title = pending ? `(${pending}) treegraft review` : "treegraft review";
  const staged = items().filter((item) => item.dataset.status === "previewed");
  const ids = new Set(staged.map((item) => item.dataset.id));
  const nowStale = new Set(staged.filter((item) => item.dataset.fit === "stale").map((item) => item.dataset.id));
  for (const id of leftOut.keys()) if (!ids.has(id)) leftOut.delete(id);
  for (const id of shown.keys()) if (!ids.has(id)) shown.delete(id);
  for (const id of selected) if (!ids.has(id)) selected.delete(id);
  if (known) {
    const fresh = [...ids].filter((id) => !known.has(id)).length;
    if (fresh && !undone) tell(fresh === 1 ? "1 new edit" : `${fresh} new edits`);
    // That of the shown edit is said when it is loaded again.
    const newly = [...nowStale].filter((id) => known.has(id) && !stale.has(id) && id !== current).length;
    if (newly && !fresh && !isDeciding) tell(newly === 1 ? "1 edit is stale now" : `${newly} edits are stale now`);
  }
  stale = nowStale;
  undone = false;
  known = ids;
  mark();
  if (focused) itemOf(focused)?.querySelector(role)?.focus({ preventScroll: true });
  if (!current && !narrow.matches && staged.length) open(staged[0].dataset.id, { focus: false });
  if (!current && !items().length) view.replaceChildren();
}

// Shows which edits are selected, and which one is open.
function mark() {
  for (const item of items()) {
    const isCurrent = item.dataset.id === current;
    item.classList.toggle("current", isCurrent);
    const button = item.querySelector(".open");
    if (isCurrent) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
    const box = item.querySelector("input");
    if (box) box.checked = selected.has(item.dataset.id);
  }
  const count = selected.size;
  const all = known?.size ?? 0;
  byId("selected").textContent = count ? `${count} selected` : "Select all";
  byId("all").checked = count > 0 && count === all;
  byId("all").indeterminate = count > 0 && count < all;
  byId("all").disabled = all === 0;
  const acceptable = [...selected].filter((id) => !isEmpty(id));
  byId("accept-selected").disabled = acceptable.length === 0;
  byId("accept-selected").textContent = acceptable.length ? `Accept ${counted(acceptable.length, "edit")} in ${counted(filesOf(acceptable), "file")}` : "Accept";
  byId("discard-selected").disabled = count === 0;
  labelAccept();
}

// Names the first of several files.
function shortened(files) {
  const [first, ...others] = files.split(", ");
  return others.length > 2 ? `${first} and ${others.length} more files` : files;
}

const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : noun.endsWith("ch") ? "es" : "s"}`;

// Returns the number of files that these edits write.
function filesOf(ids) {
  const files = new Set();
  for (const id of ids) {
    const left = leftOut.get(id)?.files;
    (itemOf(id)?.dataset.files ?? "").split("\n").forEach((file, number) => {
      if (!left?.has(number)) files.add(file);
    });
  }
  return files.size;
}

function toggle(id) {
  if (!known?.has(id)) return;
  if (!selected.delete(id)) selected.add(id);
  mark();
}

list.addEventListener("click", (event) => {
  const id = event.target.closest(".item")?.dataset.id;
  if (id && event.target.closest(".open")) open(id);
  else if (id && event.target.matches("input")) toggle(id);
});
byId("all").addEventListener("change", () => {
  const isAll = selected.size === known.size;
  selected.clear();
  if (!isAll) for (const id of known) selected.add(id);
  mark();
});

// What is left out of an edit

const leftOf = (id) => {
  if (!leftOut.has(id)) leftOut.set(id, { files: new Set(), parts: new Map() });
  return leftOut.get(id);
};

// The files of the shown edit.
const sections = () => [...view.querySelectorAll("article > .file")];
const sectionOf = (file) => sections().find((section) => Number(section.dataset.file) === file);

// Returns whether nothing is left of an edit.
function isEmpty(id) {
  const left = leftOut.get(id);
  return Boolean(left?.all);
}

// Leaves a file out or takes it back, with those that can only be chosen with it.
function leaveFile(file, isLeft) {
  const left = leftOf(current);
  const together = (sectionOf(file)?.dataset.together ?? "").split(" ").filter(Boolean).map(Number);
  for (const one of [file, ...together]) {
    left.parts.delete(one);
    if (isLeft) left.files.add(one);
    else left.files.delete(one);
  }
  showLeft();
}

function leavePart(file, part, isLeft) {
  const left = leftOf(current);
  const all = Number(sectionOf(file).dataset.parts);
  let parts = left.parts.get(file) ?? new Set();
  if (left.files.delete(file)) {
    parts = new Set([...view.querySelectorAll(`[data-file="${file}"][data-part]`)].map((box) => Number(box.dataset.part)));
  }
  if (isLeft) parts.add(part);
  else parts.delete(part);
  left.parts.set(file, parts);
  if (parts.size === all) leaveFile(file, true);
  else showLeft();
}

// Shows what is left out, also in rows that were loaded since.
function showLeft() {
  const left = leftOut.get(current);
  for (const box of view.querySelectorAll(".choice input")) {
    const file = Number(box.dataset.file);
    const parts = left?.parts.get(file);
    const isLeft = left?.files.has(file) || (box.dataset.part && parts?.has(Number(box.dataset.part)));
    box.checked = !isLeft;
    box.indeterminate = !box.dataset.part && !isLeft && Boolean(parts?.size);
  }
  for (const section of sections()) section.classList.toggle("left", Boolean(left?.files.has(Number(section.dataset.file))));
  if (left) left.all = sections().every((section) => left.files.has(Number(section.dataset.file)));
  mark();
}

// Says what the button of the shown edit writes.
function labelAccept() {
  const button = view.querySelector('[data-do="accept"]');
  if (!button) return;
  const left = leftOut.get(current);
  const counts = sections().map((section) => {
    const file = Number(section.dataset.file);
    const all = Number(section.dataset.parts) || 1;
    return { all, chosen: left?.files.has(file) ? 0 : all - (left?.parts.get(file)?.size ?? 0) };
  });
  const sum = (name) => counts.reduce((total, one) => total + one[name], 0);
  const files = counts.filter((one) => one.chosen > 0).length;
  const [all, chosen] = [sum("all"), sum("chosen")];
  const noun = view.querySelector("article").dataset.noun;
  const isDivided = counts.some((one) => one.all > 1);
  let text = counts.length > 1 ? `Accept ${counted(files, "file")}` : "Accept";
  if (chosen < all) {
    const of = isDivided ? `${chosen} of ${counted(all, noun)}` : `${files} of ${counted(counts.length, "file")}`;
    text = `Accept ${of}${isDivided && counts.length > 1 ? ` in ${counted(files, "file")}` : ""}`;
  }
  const isAgain = text === "Accept" && view.querySelector("article").dataset.status === "undone";
  button.querySelector(".label").textContent = isAgain ? "Accept again" : text;
  button.disabled = chosen === 0;
}

view.addEventListener("change", (event) => {
  const box = event.target.closest(".choice input");
  if (!box) return;
  const file = Number(box.dataset.file);
  if (box.dataset.part) leavePart(file, Number(box.dataset.part), !box.checked);
  else leaveFile(file, !box.checked);
});

// Leaves out what has the focus, or the file whose heading has it, or takes it back.
function toggleChoice() {
  const active = document.activeElement;
  const within = active?.closest?.(".choice, .file");
  const box = within?.querySelector(":scope > .choice input, :scope input[data-file]") ?? (sections().length === 1 ? null : view.querySelector(".file > .choice input"));
  if (box && !box.disabled) box.click();
}

// An edit

let opening = 0;
async function open(id, { focus = true, keepScroll = false, isStep = false, asks = false } = {}) {
  const number = ++opening;
  const isOther = id !== current;
  current = id;
  if (isOther) unpoint();
  mark();
  itemOf(id)?.scrollIntoView({ block: "nearest" });
  if (focus && narrow.matches) columns.classList.add("shows-edit");
  try {
    // A held key passes edits without loading them.
    if (isStep) await new Promise((resolve) => setTimeout(resolve, 60));
    if (number !== opening) return;
    const elements = await fragment(`api/edits/${encodeURIComponent(id)}${asks ? "?ask=true" : ""}`);
    if (number !== opening) return;
    const [focused, before] = [focusedIn(view), isOther ? null : stateOf(view)];
    view.replaceChildren(...elements);
    shown.set(id, view.querySelector("article").dataset.shown);
    prepare(view);
    for (const file of sections()) if (wholeFiles.has(nameOfFile(file))) showWhole(file);
    if (focused) ((!isOther && view.querySelector(focused)) || view.querySelector("h2")).focus({ preventScroll: true });
    if (before && !isDeciding) sayChange(before, stateOf(view));
    if (isOther && !keepScroll) scrollTo(0, 0);
    if (focus && narrow.matches) view.querySelector("h2")?.focus({ preventScroll: true });
  } catch (error) {
    if (number !== opening) return;
    view.replaceChildren();
    current = null;
    if (!keepScroll) report(error.message);
    mark();
  }
}

// Asks the language server what a stale edit of it changes now.
function ask() {
  const button = view.querySelector('[data-do="ask"]');
  if (!button || button.disabled) return;
  button.disabled = true;
  say("Asking the language server");
  open(current, { focus: false, keepScroll: true, asks: true });
}

// Returns a selector of the element that has the focus, which also finds it after the edit is loaded again.
function focusedIn(root) {
  const active = document.activeElement;
  if (!root.contains(active)) return null;
  const { id, dataset } = active;
  if (id) return `#${CSS.escape(id)}`;
  if (dataset.do) return `[data-do="${dataset.do}"]`;
  if (dataset.url) return `[data-url="${CSS.escape(dataset.url)}"]`;
  const part = dataset.part ? `[data-part="${dataset.part}"]` : ":not([data-part])";
  return dataset.file ? `input[data-file="${dataset.file}"]${part}` : "h2";
}

// The status of the shown edit, and what happened to its files.
function stateOf(root) {
  const article = root.querySelector("article");
  if (!article) return null;
  return { status: article.dataset.status, since: article.querySelector(".since > p")?.textContent ?? "" };
}

function sayChange(before, now) {
  const names = { previewed: "staged", refused: "refused", applied: "applied", undone: "undone", discarded: "discarded" };
  if (before.status !== now.status) tell(`This edit is now ${names[now.status] ?? now.status}`);
  else if (before.since !== now.since) tell(now.since || "The files are again those of the edit");
}

// Loads the rest of a diff when it comes into view.
const observer = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) if (entry.isIntersecting) load(entry.target);
  },
  { rootMargin: "1500px 0px" },
);

// The height of a row that is not broken, in rem.
const ROW_HEIGHT = 1.21875;

function prepare(root) {
  for (const chunk of root.querySelectorAll(".chunk")) {
    if (isSplit()) split(chunk);
    chunk.style.containIntrinsicSize = `auto ${chunk.childElementCount * ROW_HEIGHT}rem`;
  }
  for (const rest of root.querySelectorAll(".rest")) observer.observe(rest);
  showLeft();
}

const isSplit = () => byId("split").getAttribute("aria-pressed") === "true" && !narrow.matches;

// Puts the lines before and after the edit side by side.
function split(chunk) {
  if (chunk.classList.contains("split")) return;
  chunk.classList.add("split");
  const pairs = [];
  let [removed, added] = [[], []];
  const pair = (left, right) => {
    const element = document.createElement("div");
    element.className = "pair";
    element.append(left ?? emptyRow(), right ?? emptyRow());
    pairs.push(element);
  };
  const flush = () => {
    for (let n = 0; n < Math.max(removed.length, added.length); n++) pair(removed[n], added[n]);
    [removed, added] = [[], []];
  };
  for (const line of [...chunk.children]) {
    const kind = ["removed", "added", "same"].find((name) => line.classList.contains(name));
    if (kind === "removed") {
      if (added.length) flush();
      removed.push(line);
    } else if (kind === "added") added.push(line);
    else {
      flush();
      if (kind !== "same") pairs.push(line);
      else {
        line.querySelector(".old").removeAttribute("aria-hidden");
        const copy = line.cloneNode(true);
        copy.setAttribute("aria-hidden", "true");
        pair(line, copy);
      }
    }
  }
  flush();
  chunk.replaceChildren(...pairs);
}

function emptyRow() {
  const row = document.createElement("div");
  row.className = "row empty";
  return row;
}

async function toggleSplit() {
  const button = byId("split");
  button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
  if (current) await open(current, { focus: false, keepScroll: true });
}
byId("split").addEventListener("click", toggleSplit);

// The number of lines that the server sends at once.
const LINES_SENT = 400;
// The files that are shown whole.
const wholeFiles = new Set();
const nameOfFile = (file) => `${current} ${file.dataset.file}`;

// Shows all lines of a file. They are loaded as they come into view.
function showWhole(file) {
  const hadFocus = file.contains(document.activeElement);
  wholeFiles.add(nameOfFile(file));
  let first = null;
  for (const { dataset, parentElement: gap } of [...file.querySelectorAll(".gap > .expand")]) {
    const [path, query] = dataset.url.split("?");
    const given = new URLSearchParams(query);
    const [old, new_, count] = ["old", "new", "count"].map((name) => Number(given.get(name)));
    const parts = [];
    for (let from = 0; from < count; from += LINES_SENT) {
      const lines = Math.min(LINES_SENT, count - from);
      const part = document.createElement("button");
      part.type = "button";
      part.className = "rest";
      part.dataset.url = `${path}?old=${old + from}&new=${new_ + from}&count=${lines}`;
      part.textContent = `Show ${counted(lines, "line")}`;
      part.style.minHeight = `${lines * ROW_HEIGHT}rem`;
      parts.push(part);
    }
    first ??= parts[0];
    const chunk = gap.parentElement;
    const after = chunk.cloneNode(false);
    while (gap.nextSibling) after.append(gap.nextSibling);
    gap.remove();
    chunk.after(...parts, ...(after.childElementCount ? [after] : []));
    if (!chunk.childElementCount) chunk.remove();
  }
  prepare(file);
  if (hadFocus && !file.contains(document.activeElement)) first?.focus({ preventScroll: true });
}

// Shows the file whole that has the focus, or else is in view.
function showWholeFile() {
  const within = document.activeElement?.closest?.("article > .file");
  const inView = sections().find((section) => section.getBoundingClientRect().bottom > 130);
  const file = within ?? inView;
  if (file) showWhole(file);
}

// Replaces a button by the rows that it stands for.
async function load(button) {
  if (button.disabled) return;
  button.disabled = true;
  observer.unobserve(button);
  const hadFocus = document.activeElement === button;
  try {
    const elements = await fragment(button.dataset.url);
    const file = button.closest(".file");
    const gap = button.closest(".gap");
    if (gap && isSplit()) elements.filter((element) => element.matches(".chunk")).forEach(split);
    const rows = gap ? elements.flatMap((element) => [...element.children]) : elements;
    (gap ?? button).replaceWith(...rows);
    prepare(file);
    if (wholeFiles.has(nameOfFile(file)) && file.querySelector(".gap > .expand")) showWhole(file);
    if (hadFocus) {
      const first = rows[0];
      first.tabIndex = -1;
      first.focus({ preventScroll: true });
    }
  } catch (error) {
    button.disabled = false;
    report("The lines cannot be loaded.", error.message);
  }
}

view.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.url) load(button);
  if (button.dataset.do === "whole") showWhole(button.closest(".file"));
  if (button.dataset.do === "accept") accept([current]);
  if (button.dataset.do === "discard") askToDiscard([current]);
  if (button.dataset.do === "undo") undo([current]);
  if (button.dataset.do === "target") openTarget();
  if (button.dataset.do === "ask") ask();
});

byId("back").addEventListener("click", () => {
  columns.classList.remove("shows-edit");
  itemOf(current)?.querySelector(".open").focus();
});

// Decisions

const chosen = () => {
  if (selected.size) return [...selected];
  const status = itemOf(current)?.dataset.status;
  return ["previewed", "refused", "undone"].includes(status) ? [current] : [];
};

let isDeciding = false;
async function decide(path, ids, body) {
  if (isDeciding || !ids.length) return null;
  isDeciding = true;
  byId("problems").replaceChildren();
  try {
    const after = nextAfter(ids);
    const decided = await post(path, body);
    const next = decided.left_out[0] ?? after;
    // They are no news.
    for (const id of decided.left_out) known.add(id);
    for (const outcome of decided.outcomes) {
      if (outcome.is_done) selected.delete(outcome.edit_id);
      else report(`${shortened(outcome.file_path)}: refused`, outcome.text);
    }
    const done = decided.outcomes.filter((outcome) => outcome.is_done).map((outcome) => outcome.edit_id);
    const isDivided = ids.includes(current) && decided.left_out.length > 0;
    await loadList();
    if ((done.includes(current) || isDivided) && next && (isDivided || !narrow.matches)) await open(next, { focus: false });
    else if (current) await open(current, { focus: false, keepScroll: true });
    return { message: decided.message, done };
  } catch (error) {
    report("The server did not answer.", error.message);
    return null;
  } finally {
    isDeciding = false;
  }
}

// Returns the staged edit to show after these are decided.
function nextAfter(ids) {
  const all = items();
  const at = all.findIndex((item) => item.dataset.id === current);
  const rest = [...all.slice(at + 1), ...all.slice(0, Math.max(at, 0))];
  const isLeft = (item) => item.dataset.status === "previewed" && !ids.includes(item.dataset.id);
  return rest.find(isLeft)?.dataset.id ?? null;
}

async function accept(ids) {
  const isOpen = (id) => known.has(id) || itemOf(id)?.dataset.status === "undone";
  const acceptable = ids.filter((id) => isOpen(id) && !isEmpty(id));
  const edits = acceptable.map((edit_id) => ({ edit_id, shown: shown.get(edit_id), leave_out: leaveOut(edit_id) }));
  const decided = await decide("api/apply", acceptable, { edits });
  if (!decided) return;
  if (decided.done.length) {
    lastAccepted = decided.done;
    lastTarget = null;
  }
  say(decided.message, decided.done.length > 0);
}

// Returns what is left out of an edit, as the server reads it.
function leaveOut(id) {
  const left = leftOut.get(id);
  const files = [...(left?.files ?? [])].map((file) => ({ file }));
  const parts = [...(left?.parts ?? [])].flatMap(([file, parts]) => [...parts].map((part) => ({ file, part })));
  return [...files, ...parts];
}

function askToDiscard(ids) {
  if (!ids.length) return;
  toDiscard = ids;
  byId("discard-title").textContent = ids.length === 1 ? "Discard this edit?" : `Discard ${ids.length} edits?`;
  byId("reason").value = "";
  show(byId("discard-dialog"));
  byId("reason").focus();
}

byId("discard-dialog").addEventListener("close", async () => {
  if (byId("discard-dialog").returnValue !== "discard") return;
  const reason = byId("reason").value.trim();
  const body = { edit_ids: toDiscard, ...(reason && { reason }) };
  const decided = await decide("api/discard", toDiscard, body);
  if (decided) say(decided.message);
});
byId("discard-dialog").addEventListener("cancel", () => (byId("discard-dialog").returnValue = ""));
byId("reason").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("discard-now").click();
});

let undone = false;
async function undo(ids) {
  undone = true;
  const decided = await decide("api/undo", ids, { edit_ids: ids });
  if (!decided) return;
  if (ids === lastAccepted) lastAccepted = [];
  say(decided.message);
}

byId("accept-selected").addEventListener("click", () => accept([...selected]));
byId("discard-selected").addEventListener("click", () => askToDiscard([...selected]));
byId("undo-last").addEventListener("click", () => (lastTarget ? restoreTarget(lastTarget) : undo(lastAccepted)));

// Another target

// The edits of the shown call that can get another target: their number, file, first line and what they do.
const targets = () => JSON.parse(view.querySelector("article[data-targets]")?.dataset.targets ?? "[]");
const canRetarget = () => targets().length > 0;
let target = null; // the file, line and column that the dialog is about

// Returns where a pointer is in the text before the edit.
function placeAt(event) {
  const code = event.target.closest?.(".row.same code, .row.removed code");
  const section = code?.closest("article > .file");
  if (!section || !canRetarget()) return null;
  const line = Number(code.parentElement.querySelector(".old").textContent);
  const at = document.caretPositionFromPoint?.(event.clientX, event.clientY);
  const node = at?.offsetNode ?? document.caretRangeFromPoint?.(event.clientX, event.clientY)?.startContainer;
  const offset = at?.offset ?? document.caretRangeFromPoint?.(event.clientX, event.clientY)?.startOffset ?? 0;
  const spoken = code.querySelector(".spoken");
  let column = 0;
  const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    if (spoken?.contains(text) || text.parentElement.closest(".cut")) continue;
    if (text === node) {
      column += charactersIn(text, offset);
      break;
    }
    column += charactersIn(text);
  }
  return { file: Number(section.dataset.file), line, column };
}

// Returns the number of characters of the file that a text shows. A character that is written out is one of them.
function charactersIn(text, end = text.data.length) {
  const shown = text.data.slice(0, end);
  if (!text.parentElement.closest(".unseen")) return [...shown].length;
  return [...shown.matchAll(/\\u\{[0-9a-f]+\}|\\[rn]/g)].length;
}

const nodesAt = ({ file, line, column }) => fragment(`api/edits/${encodeURIComponent(current)}/nodes/${file}?line=${line}&column=${column}`);

async function showNodes() {
  const box = byId("target-nodes");
  try {
    const shown = target;
    const elements = await nodesAt(shown);
    if (shown !== target) return;
    box.replaceChildren(...elements);
    const count = box.querySelectorAll("button").length;
    byId("target-count").textContent = count ? `${counted(count, "node")}, the innermost first` : "";
  } catch (error) {
    byId("target-count").textContent = error.message;
    box.replaceChildren();
  }
}

// Returns the edits in a file, that whose lines are nearest to a line first.
function nearest(file, line) {
  const distance = (one) => Math.abs(one.line - line);
  return targets().filter((one) => one.file === file).sort((one, other) => distance(one) - distance(other));
}

async function openTarget(place) {
  if (!canRetarget()) {
    const why = view.querySelector("article")?.dataset.noTarget;
    if (why) say(`This edit can have no other target: ${why}.`);
    return;
  }
  const [first] = targets();
  target = place ?? { file: first.file, line: first.line, column: 0 };
  const edits = nearest(target.file, target.line);
  if (!edits.length) return;
  const options = edits.map(({ number, line, what }) => new Option(`${number}: ${what}, line ${line}`, number));
  byId("target-edit").replaceChildren(...options);
  byId("target-choice").hidden = edits.length < 2;
  byId("target-line").value = target.line;
  byId("target-nodes").replaceChildren();
  byId("target-count").textContent = "";
  unpoint();
  show(byId("target-dialog"));
  await showNodes();
}

byId("target-line").addEventListener("input", () => {
  const line = Number(byId("target-line").value);
  if (!Number.isInteger(line) || line < 1) return;
  target = { ...target, line, column: 0 };
  showNodes();
});
byId("target-line").addEventListener("keydown", (event) => {
  if (event.key === "Enter") event.preventDefault();
});
byId("target-nodes").addEventListener("click", (event) => {
  const selector = event.target.closest("button")?.dataset.selector;
  if (!selector) return;
  byId("target-dialog").close();
  retarget(Number(byId("target-edit").value), JSON.parse(selector));
});

async function retarget(edit_index, selector) {
  unpoint();
  const decided = await decide("api/retarget", [current], { edit_id: current, edit_index, selector });
  if (!decided) return;
  if (decided.done.length) lastTarget = decided.done[0];
  say(decided.message, decided.done.length > 0);
}

// Stages an edit for its former node again.
async function restoreTarget(id) {
  const decided = await decide("api/restore", [id], { edit_id: id });
  if (!decided) return;
  if (decided.done.length) lastTarget = null;
  say(decided.message);
}

// The nodes around the pointer. A click takes the chosen one.

const POINTED_AFTER = 120;
let pointed = null; // the place, the edit that a click is about, the nodes there and the number of the chosen one
let pointing = 0;
let pointedAt = ""; // the place that is shown, or about to be

const nameOf = ({ file, line, column }) => `${current} ${file} ${line} ${column}`;

function unpoint() {
  clearTimeout(pointing);
  pointed = null;
  pointedAt = "";
  byId("around").hidden = true;
  markPointed();
}

// Marks the lines of the chosen node.
function markPointed() {
  const node = pointed?.nodes[pointed.at];
  for (const row of view.querySelectorAll(".row.pointed")) row.classList.remove("pointed");
  if (!node) return;
  for (const row of sectionOf(pointed.place.file)?.querySelectorAll(".row.same, .row.removed") ?? []) {
    const line = Number(row.querySelector(".old").textContent);
    row.classList.toggle("pointed", line >= node.line && line <= node.end);
  }
}

function showPointed() {
  const { nodes, at, edit, isOfSeveral } = pointed;
  const chain = document.createElement("span");
  nodes.forEach(({ kind }, index) => {
    if (index) chain.append(" < ");
    const element = document.createElement(index === at ? "strong" : "span");
    element.textContent = kind;
    chain.append(element);
  });
  const selector = document.createElement("code");
  selector.textContent = nodes[at].shown;
  const hint = document.createElement("span");
  hint.className = "hint";
  const what = isOfSeveral ? `edit ${edit.number + 1} (${edit.what})` : "the edit";
  hint.textContent = `Click to stage ${what} for this node. o, i: wider, narrower. Shift+click: list`;
  byId("around").replaceChildren(chain, selector, hint);
  byId("around").hidden = false;
  markPointed();
}

// Chooses a wider or a narrower node around the pointer.
function widen(by) {
  if (!pointed) return;
  pointed.at = Math.min(Math.max(pointed.at + by, 0), pointed.nodes.length - 1);
  showPointed();
}

async function point(place) {
  const name = nameOf(place);
  const edits = nearest(place.file, place.line);
  const elements = edits.length ? await nodesAt(place).catch(() => []) : [];
  if (name !== pointedAt || nameOf(place) !== name || document.querySelector("dialog[open]")) return;
  const buttons = elements.flatMap((element) => [...element.querySelectorAll("button")]);
  const nodes = buttons.map((button) => ({
    kind: button.querySelector(".kind").textContent,
    shown: button.querySelector(".selector").textContent,
    selector: JSON.parse(button.dataset.selector),
    line: Number(button.dataset.line),
    end: Number(button.dataset.end),
  }));
  if (!nodes.length) return unpoint();
  pointed = { place, nodes, at: 0, edit: edits[0], isOfSeveral: edits.length > 1 };
  showPointed();
}

view.addEventListener("pointermove", (event) => {
  const place = event.pointerType === "mouse" && !event.buttons ? placeAt(event) : null;
  if (!place) return event.buttons ? undefined : unpoint();
  if (nameOf(place) === pointedAt) return;
  unpoint();
  pointedAt = nameOf(place);
  pointing = setTimeout(() => point(place), POINTED_AFTER);
});
view.addEventListener("pointerleave", unpoint);
view.addEventListener("mousedown", (event) => {
  // The list, not a longer selection.
  if (event.shiftKey && placeAt(event)) event.preventDefault();
});
view.addEventListener("click", (event) => {
  // Selecting text is no click.
  if (!getSelection().isCollapsed || event.detail > 1) return;
  const place = placeAt(event);
  if (!place) return;
  // Without a mouse, nothing has shown what a click takes.
  if (event.pointerType !== "mouse" || event.shiftKey) return openTarget(place);
  // Nothing is taken that was not shown.
  if (!pointed || nameOf(pointed.place) !== nameOf(place)) return;
  const { edit, nodes, at } = pointed;
  retarget(edit.number, nodes[at].selector);
});

// Keys

function step(by) {
  const all = items();
  if (!all.length) return;
  const at = all.findIndex((item) => item.dataset.id === current);
  const to = all[Math.min(Math.max(at + by, 0), all.length - 1)];
  open(to.dataset.id, { focus: false, isStep: true });
  if (!narrow.matches || !columns.classList.contains("shows-edit")) {
    to.querySelector(".open").focus({ preventScroll: true });
  }
}

function stepFile(by) {
  const heads = [...view.querySelectorAll(".file > h3")];
  const limit = 130;
  const next = heads.filter((head) => head.getBoundingClientRect().top > limit);
  const past = heads.filter((head) => head.getBoundingClientRect().top < limit - 30);
  const to = by > 0 ? next[0] : past[past.length - 1];
  to?.scrollIntoView();
  to?.focus({ preventScroll: true });
}

const actions = {
  j: () => step(1),
  k: () => step(-1),
  " ": () => toggle(current),
  a: () => accept(chosen()),
  d: () => askToDiscard(chosen()),
  u: () => {
    if (lastTarget && lastTarget === current) return restoreTarget(lastTarget);
    const isApplied = itemOf(current)?.dataset.status === "applied";
    if (isApplied && !lastAccepted.includes(current)) undo([current]);
    else if (lastAccepted.length) undo(lastAccepted);
  },
  s: () => {
    if (!narrow.matches) toggleSplit();
  },
  n: () => stepFile(1),
  p: () => stepFile(-1),
  x: toggleChoice,
  e: showWholeFile,
  f: ask,
  t: () => openTarget(pointed?.place),
  o: () => widen(1),
  i: () => widen(-1),
  Escape: unpoint,
  "?": () => show(byId("help")),
};

function actionOf(event) {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || !byId("keys").checked) return null;
  if (document.querySelector("dialog[open]") || target.matches("textarea")) return null;
  // The space key presses any other button and checks a box.
  if (event.key === " " && target.matches("button:not(.open), input")) return null;
  return Object.hasOwn(actions, event.key) ? actions[event.key] : null;
}

document.addEventListener("keydown", (event) => {
  const action = actionOf(event);
  if (!action) return;
  event.preventDefault();
  if (!event.repeat || ["j", "k", "o", "i"].includes(event.key)) action();
});
// Some browsers press a button when the space key is released.
document.addEventListener("keyup", (event) => {
  if (event.key === " " && actionOf(event)) event.preventDefault();
});
byId("help-button").addEventListener("click", () => show(byId("help")));

// Changes

function setLive(isOn, text) {
  if (byId("live").textContent !== text) byId("live").textContent = text;
  byId("live").classList.toggle("on", isOn);
}

async function changed(editIds) {
  await loadList();
  if (isDeciding || !current || !editIds.includes(current)) return;
  await open(current, { focus: false, keepScroll: true });
}

async function watch() {
  for (let pause = 500; ; pause = Math.min(pause * 2, 5000)) {
    try {
      const response = await request("api/changes");
      if (response.status === 401) return;
      if (response.ok) {
        setLive(true, "Live");
        pause = 250;
        await read(response.body.getReader());
      }
    } catch {
      // The server is gone, or restarts.
    }
    setLive(false, "Disconnected");
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

// Reads events until the stream ends.
async function read(reader) {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) {
      const data = event.split("\n").find((line) => line.startsWith("data:"));
      if (data) await changed(JSON.parse(data.slice(5)).edit_ids);
    }
  }
}

// The files may change while the page is hidden.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && current && !isDeciding) open(current, { focus: false, keepScroll: true });
});

function refreshAges() {
  for (const time of document.querySelectorAll("time[data-created]")) {
    const seconds = Math.max(0, Math.floor(Date.now() / 1000) - Number(time.dataset.created));
    const units = [[86400, "d"], [3600, "h"], [60, "m"], [1, "s"]];
    const [length, unit] = units.find(([length]) => seconds >= length) ?? [1, "s"];
    time.textContent = `${Math.floor(seconds / length)}${unit}`;
  }
}
setInterval(refreshAges, 10000);

window.addEventListener("hashchange", () => location.reload());
if (token) watch();
else {
  setLive(false, "No access");
  report("Open the link that `treegraft review` printed: this one has no token.");
}
