//! The review page over HTTP: what a person decides is done, and nobody else can read or decide anything. The same in a
//! browser: `review/browser.mjs`.
#![expect(
    clippy::disallowed_methods,
    reason = "tests create files and start the program"
)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{call, is_full};

const PROGRAM: &str = env!("CARGO_BIN_EXE_treegraft");
const PATIENCE: Duration = Duration::from_secs(30);
pub(crate) const BILL: &str = "def price():\n    return 1\n\n\ndef tax():\n    return 2\n";
/// A file whose name is HTML.
const HOSTILE: &str = "<img src=x onerror=alert(1)>&amp;.py";

/// A workspace with a server of its page.
pub(crate) struct Review {
    process: Child,
    port: u16,
    token: String,
    directory: Arc<TempDir>,
}

/// An answer of the server.
pub(crate) struct Response {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

/// The expected status of a request, its headers and its body.
type Attempt<'a> = (u16, &'a [(&'a str, &'a str)], &'a str);

impl Review {
    pub(crate) fn start() -> Review {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let root = directory.path().join("workspace");
        fs::create_dir(&root).expect("it can be created");
        fs::write(root.join("treegraft.toml"), "approval = \"required\"\n")
            .expect("it can be written");
        fs::write(root.join("bill.py"), BILL).expect("it can be written");
        fs::write(root.join(HOSTILE), BILL).expect("it can be written");
        Review::over(Arc::new(directory))
    }

    fn over(directory: Arc<TempDir>) -> Review {
        let mut command = command(directory.path());
        let (process, link) = started(command.args(["review", "--no-open"]));
        let (port, token) = parts(&link);
        Review {
            process,
            port,
            token,
            directory,
        }
    }

    /// Starts another server of the same workspace.
    pub(crate) fn another(&self) -> Review {
        Review::over(self.directory.clone())
    }

    /// Returns a command of treegraft in the workspace.
    pub(crate) fn command(&self) -> Command {
        command(self.directory.path())
    }

    /// Sends a request with these headers, and `Host` unless it is one of them.
    fn send(&self, request: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let mut stream = self.connect(request, headers, body);
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        let answer = String::from_utf8(answer).expect("answers are text");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.get(9..12).and_then(|status| status.parse().ok());
        Response {
            status: status.expect("a status"),
            head: head.to_lowercase(),
            body: body.to_string(),
        }
    }

    fn connect(&self, request: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream
            .set_read_timeout(Some(PATIENCE))
            .expect("a time limit");
        let host = format!("127.0.0.1:{}", self.port);
        let length = body.len().to_string();
        let mut all = vec![("Connection", "close"), ("Content-Length", &length)];
        if !headers.iter().any(|(name, _)| *name == "Host") {
            all.push(("Host", &host));
        }
        all.extend(headers);
        let lines = all
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"));
        let head: String = lines.collect();
        write!(stream, "{request} HTTP/1.1\r\n{head}\r\n{body}").expect("it reads");
        stream
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.send(
            &format!("GET {path}"),
            &[("Authorization", &self.bearer())],
            "",
        )
    }

    /// Posts a decision as the page does, and returns the answer.
    pub(crate) fn decide(&self, path: &str, body: &Value) -> Value {
        let bearer = self.bearer();
        let headers = [
            ("Authorization", &*bearer),
            ("Content-Type", "application/json"),
        ];
        let answer = self.send(&format!("POST {path}"), &headers, &body.to_string());
        assert_eq!(answer.status, 200, "{}", answer.body);
        serde_json::from_str(&answer.body).expect("it is JSON")
    }

    /// Accepts whole edits.
    pub(crate) fn accept(&self, edit_ids: &[&str]) -> Value {
        let edits = edit_ids.iter().map(|edit_id| json!({"edit_id": edit_id}));
        let edits: Vec<Value> = edits.collect();
        self.decide("/api/apply", &json!({"edits": edits}))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join("workspace").join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("it can be read")
    }

    /// Runs a command of treegraft, and returns its answer.
    pub(crate) fn run(&self, words: &[&str]) -> Value {
        let output = command(self.directory.path())
            .args(words)
            .arg("--json")
            .output();
        let output = output.expect("the command runs");
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{words:?}: {}", String::from_utf8_lossy(&output.stderr)))
    }

    /// Stages the replacement of a text, and returns the id of the edit.
    pub(crate) fn stage(&self, file: &str, find: &str, content: &str) -> String {
        let made = self.run(&["text", find, content, file]);
        let edit_id = made["edit_id"].as_str().unwrap_or_else(|| panic!("{made}"));
        edit_id.to_string()
    }

    pub(crate) fn status(&self, edit_id: &str) -> Value {
        self.run(&["list", edit_id])["edits"][0]["status"].clone()
    }
}

impl Drop for Review {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn command(directory: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .current_dir(directory.join("workspace"))
        .env("XDG_STATE_HOME", directory.join("state"))
        .env("XDG_CONFIG_HOME", directory.join("config"))
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .stdin(Stdio::null());
    command
}

/// Starts a server, and returns the link that it prints.
fn started(command: &mut Command) -> (Child, String) {
    let mut process = command.stderr(Stdio::piped()).spawn().expect("it starts");
    let errors = process.stderr.take().expect("standard error is a pipe");
    let line = BufReader::new(errors).lines().next();
    let line = line.expect("it prints a line").expect("it is text");
    let link = line.strip_prefix("reviewing at ");
    let link = link.unwrap_or_else(|| panic!("a link: {line}")).to_string();
    (process, link)
}

/// Returns the port and the token of a link.
fn parts(link: &str) -> (u16, String) {
    let rest = link
        .strip_prefix("http://127.0.0.1:")
        .expect("a loopback address");
    let (port, token) = rest.split_once("/#").expect("a fragment");
    (port.parse().expect("a port"), token.to_string())
}

/// A caller without the token and a page of another origin get nothing and change nothing.
#[test]
fn nothing_is_read_or_written_without_the_token_or_for_another_origin() {
    let review = Review::start();
    let edit_id = review.stage("bill.py", "return 1", "return 10");
    let bearer = review.bearer();
    let own = format!("http://127.0.0.1:{}", review.port);
    let rebound = format!("rebound.example:{}", review.port);
    let wrong = format!("Bearer {}", "0".repeat(64));
    let json = ("Content-Type", "application/json");
    let token = ("Authorization", bearer.as_str());
    let body = json!({"edit_ids": [&edit_id]}).to_string();
    let accepting = json!({"edits": [{"edit_id": &edit_id}]}).to_string();
    let retargeting = json!({"edit_id": &edit_id, "selector": "integer@2"}).to_string();
    let restoring = json!({"edit_id": &edit_id}).to_string();
    let form = format!("edit_ids={edit_id}");
    let large = json!({"edit_ids": [&edit_id], "reason": "x".repeat(300_000)}).to_string();
    let attempts: &[Attempt<'_>] = &[
        (401, &[json], &body),
        (401, &[json, ("Authorization", &wrong)], &body),
        (401, &[json, ("Authorization", &review.token)], &body),
        (401, &[json, ("Cookie", &bearer)], &body),
        (401, &[json, ("Authorization", "Bearer ")], &body),
        (403, &[json, token, ("Host", &rebound)], &body),
        (403, &[json, token, ("Host", "127.0.0.1")], &body),
        (
            403,
            &[json, token, ("Origin", "https://attacker.example")],
            &body,
        ),
        (
            403,
            &[json, token, ("Origin", "http://localhost:3000")],
            &body,
        ),
        (403, &[json, token, ("Origin", "null")], &body),
        (403, &[json, token, ("Sec-Fetch-Site", "cross-site")], &body),
        (
            403,
            &[
                json,
                token,
                ("Origin", &own),
                ("Sec-Fetch-Site", "same-site"),
            ],
            &body,
        ),
        // Forms of other pages can only have these types.
        (
            415,
            &[token, ("Content-Type", "application/x-www-form-urlencoded")],
            &form,
        ),
        (415, &[token, ("Content-Type", "text/plain")], &body),
        (
            415,
            &[token, ("Content-Type", "multipart/form-data; boundary=x")],
            &body,
        ),
        (415, &[token], &body),
        (413, &[json, token], &large),
        (400, &[json, token], "{"),
        (422, &[json, token], "{\"edit_ids\": 1}"),
        (422, &[json, token], "{\"edit_ids\": [], \"root\": \"/\"}"),
        (422, &[json, token], "{\"edits\": [], \"root\": \"/\"}"),
        (422, &[json, token], "{\"edit_id\": \"e\", \"selector\": 1}"),
        (
            422,
            &[json, token],
            "{\"edits\": [{\"edit_id\": \"e\", \"leave_out\": [{\"file\": -1}]}]}",
        ),
    ];
    for path in [
        "/api/apply",
        "/api/discard",
        "/api/undo",
        "/api/retarget",
        "/api/restore",
    ] {
        for (status, headers, given) in attempts {
            // What would be read with the token and the right type.
            let given = match (*given == body, path) {
                (true, "/api/apply") => &accepting,
                (true, "/api/retarget") => &retargeting,
                (true, "/api/restore") => &restoring,
                _ => *given,
            };
            let answer = review.send(&format!("POST {path}"), headers, given);
            assert_eq!(
                answer.status, *status,
                "{path} {headers:?}: {}",
                answer.body
            );
            assert!(!answer.body.contains("bill.py"), "{}", answer.body);
        }
        for method in ["GET", "PUT", "DELETE", "OPTIONS"] {
            let answer = review.send(&format!("{method} {path}"), &[json, token], &body);
            assert_eq!(answer.status, 405, "{method} {path}");
        }
        let query = format!("POST {path}?token={}", review.token);
        assert_eq!(review.send(&query, &[json], &body).status, 401);
    }
    let reads = [
        "/api/edits".to_string(),
        format!("/api/edits/{edit_id}"),
        format!("/api/edits/{edit_id}/files/0?from=0"),
        format!("/api/edits/{edit_id}/now/0?from=0"),
        format!("/api/edits/{edit_id}/nodes/0?line=2&column=4"),
        "/api/changes".to_string(),
    ];
    for path in &reads {
        for (status, headers, _) in &attempts[..12] {
            let answer = review.send(&format!("GET {path}"), headers, "");
            assert_eq!(answer.status, *status, "{path} {headers:?}");
            assert!(!answer.body.contains("bill.py"), "{}", answer.body);
        }
        let post = review.send(&format!("POST {path}"), &[json, token], &body);
        assert_eq!(post.status, 405, "{path}");
    }
    assert_eq!(review.read("bill.py"), BILL);
    assert_eq!(review.status(&edit_id), "previewed");
    // The same decision with the token.
    let decided = review.accept(&[&edit_id]);
    assert_eq!(decided["outcomes"][0]["is_done"], true, "{decided}");
}

/// The files of the page have no data, and every answer forbids what the page does not need.
#[test]
fn the_page_itself_holds_nothing_and_may_run_only_its_own_script() {
    let review = Review::start();
    let edit_id = review.stage("bill.py", "return 1", "return 10");
    let bearer = review.bearer();
    let detail = format!("/api/edits/{edit_id}");
    for path in [
        "/",
        "/review.js",
        "/review.css",
        "/icon.svg",
        "/nowhere",
        "/api/edits",
        &detail,
    ] {
        let headers: &[(&str, &str)] = match path.starts_with("/api") {
            true => &[("Authorization", &bearer)],
            false => &[],
        };
        let answer = review.send(&format!("GET {path}"), headers, "");
        let policy = "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; \
                      img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";
        for header in [
            policy,
            "referrer-policy: no-referrer",
            "cache-control: no-store",
            "x-content-type-options: nosniff",
            "x-frame-options: deny",
            "cross-origin-opener-policy: same-origin",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(
                answer.head.lines().any(|line| line == header),
                "{path}: {header}\n{}",
                answer.head
            );
        }
        assert!(!answer.head.contains("set-cookie") && !answer.head.contains("access-control"));
        assert!(!answer.body.contains(&review.token));
        if !path.starts_with("/api") {
            assert!(
                !answer.body.contains("bill.py") && !answer.body.contains("workspace"),
                "{path}"
            );
        }
        if path == "/" || path.starts_with("/api") {
            for inline in ["<script>", " style=", " onclick=", "javascript:", "<style"] {
                assert!(!answer.body.contains(inline), "{path}: {inline}");
            }
        }
    }
    let text = review.send("GET /review.js", &[], "").body;
    for word in [
        "innerHTML",
        "eval(",
        "document.write",
        "localStorage",
        "document.cookie",
        "http:",
        "https:",
    ] {
        assert!(!text.contains(word), "{word}");
    }
}

/// Names, texts and reasons are shown as text, with their invisible characters written out.
#[test]
fn names_diffs_and_reasons_are_no_html() {
    let review = Review::start();
    let content = "return '</code><script>alert(1)</script>\u{202e}'";
    let edit_id = review.stage(HOSTILE, "return 1", content);
    let discarded = review.stage(HOSTILE, "return 2", "return 3");
    let reason = "<script>alert(1)</script>";
    let body = json!({"edit_ids": [discarded], "reason": reason});
    let decided = review.decide("/api/discard", &body);
    assert_eq!(decided["message"], "Discarded 1 edit");
    let listed = review.get("/api/edits").body;
    let shown = review.get(&format!("/api/edits/{edit_id}")).body;
    let rows = review
        .get(&format!("/api/edits/{edit_id}/files/0?from=0"))
        .body;
    let gone = review.get(&format!("/api/edits/{discarded}")).body;
    for html in [&listed, &shown, &rows, &gone] {
        for tag in ["<img", "<script"] {
            assert!(!html.contains(tag), "{tag}: {html}");
        }
        assert!(!html.contains('\u{202e}'), "{html}");
    }
    assert!(
        shown.contains("\\u{202e}") && shown.contains("&#60;script&#62;"),
        "{shown}"
    );
    assert!(gone.contains("&#60;script&#62;alert(1)"), "{gone}");
    // The agent reads the reason as it was written.
    let found = review.run(&["list", "--status", "discarded"]);
    assert_eq!(found["edits"][0]["reason"], reason);
    for path in [
        "/api/edits/..%2f..%2fx",
        "/api/edits/e000000000000",
        "/api/edits/%3Cscript%3E",
    ] {
        let answer = review.get(path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(
            answer.head.contains("content-type: text/plain"),
            "{}",
            answer.head
        );
    }
}

/// So are the nodes for which an edit can be staged again, in the page and in the answers about that.
#[test]
fn nodes_and_refusals_of_another_target_are_no_html() {
    let review = Review::start();
    let hard = "x = '<script>alert(1)</script>\u{202e}\u{1b}[31m\u{e0041}'; y = '\u{2066}\u{ad}' # <img src=x>\n";
    let long = format!("z = [{}]\n", "'<b>',".repeat(20_000));
    fs::write(
        review.path("hard\u{202e}, <b>.py"),
        format!("{hard}{long}w = 1\n"),
    )
    .expect("it can be written");
    let edits = json!([
        {"op": "replace", "file_path": "hard\u{202e}, <b>.py", "selector": "integer@1", "new_content": "2"},
    ]);
    let made = review.run(&["edit", &edits.to_string()]);
    let edit_id = made["edit_id"].as_str().unwrap_or_else(|| panic!("{made}"));
    let mut texts = vec![review.get("/api/edits").body];
    texts.push(review.get(&format!("/api/edits/{edit_id}")).body);
    for (line, column) in [
        (1, 0),
        (1, 8),
        (1, 50),
        (2, 0),
        (2, 9_000),
        (2, 120_000),
        (9, 0),
    ] {
        let path = format!("/api/edits/{edit_id}/nodes/0?line={line}&column={column}");
        texts.push(review.get(&path).body);
    }
    // A comma in a name does not divide it.
    assert!(
        texts[0].contains("data-files=\"hard\\u{202e}, &#60;b&#62;.py\""),
        "{}",
        texts[0]
    );
    assert!(
        texts[2].contains("&#60;script&#62;alert(1)"),
        "{}",
        texts[2]
    );
    assert!(
        texts[3].contains("\\u{202e}\\u{1b}[31m\\u{e0041}"),
        "{}",
        texts[3]
    );
    for selector in ["string@<img src=x>\u{202e}\u{1b}", "script@<script>"] {
        let body = json!({"edit_id": edit_id, "edit_index": 0, "selector": selector});
        let decided = review.decide("/api/retarget", &body);
        assert_eq!(decided["outcomes"][0]["is_done"], false, "{decided}");
        let text = decided["outcomes"][0]["text"].as_str().expect("a text");
        // The page shows it as text.
        assert!(text.starts_with("refused: "), "{text}");
        texts.push(text.replace('<', "&#60;"));
    }
    for text in &texts {
        assert!(text.len() < 60_000, "{} bytes", text.len());
        for wrong in [
            "<img",
            "<script",
            "\u{202e}",
            "\u{1b}",
            "\u{e0041}",
            "\u{2066}",
            "\u{ad}",
        ] {
            // The selectors that the page sends back are JSON in an attribute.
            let shown =
                text.split(" data-selector=\"")
                    .enumerate()
                    .map(|(part, text)| match part {
                        0 => text,
                        _ => text.split_once('"').map_or("", |(_, shown)| shown),
                    });
            for shown in shown {
                assert!(!shown.contains(wrong), "{wrong:?}: {shown}");
            }
        }
        assert!(
            !text.contains("<img") && !text.contains("<script"),
            "{text}"
        );
    }
}

/// Chosen edits are written together or not at all; what is refused is shown with the reason.
#[test]
fn a_person_accepts_discards_and_undoes() {
    let review = Review::start();
    let [price, tax] = [("return 1", "return 10"), ("return 2", "return 20")]
        .map(|(find, content)| review.stage("bill.py", find, content));
    let twice = review.stage("bill.py", "return 1", "return 11");
    let decided = review.accept(&[&twice, &tax, &price]);
    assert_eq!(
        decided["message"],
        "Nothing was written: 1 of 3 edits is refused"
    );
    let outcomes = decided["outcomes"].as_array().expect("a list");
    assert_eq!(outcomes.len(), 1);
    assert_eq!(outcomes[0]["edit_id"], twice);
    let refusal = outcomes[0]["text"].as_str().expect("a text");
    assert!(refusal.starts_with("refused: "), "{refusal}");
    assert_eq!(review.read("bill.py"), BILL);
    let decided = review.accept(&[&tax, "e000000000000"]);
    assert_eq!(decided["outcomes"][0]["edit_id"], "e000000000000");
    assert_eq!(review.read("bill.py"), BILL);

    let decided = review.accept(&[&tax, &price]);
    assert_eq!(decided["message"], "Accepted 2 edits in 1 file");
    // The oldest first.
    assert_eq!(decided["outcomes"][0]["edit_id"], price);
    assert_eq!(decided["outcomes"][1]["edit_id"], tax);
    assert_eq!(
        review.read("bill.py"),
        BILL.replace("return 1", "return 10")
            .replace("return 2", "return 20")
    );

    let shown = review.get(&format!("/api/edits/{twice}")).body;
    assert!(shown.contains("cannot be accepted"), "{shown}");
    let decided = review.decide("/api/undo", &json!({"edit_ids": [price, tax]}));
    assert_eq!(decided["message"], "Undid 2 edits in 1 file", "{decided}");
    assert_eq!(review.read("bill.py"), BILL);
    let decided = review.decide("/api/undo", &json!({"edit_ids": [price]}));
    assert_eq!(
        decided["message"], "Nothing was written: the edit is refused",
        "{decided}"
    );
    let reason = json!({"edit_ids": [twice, "e000000000000"], "reason": "no"});
    let decided = review.decide("/api/discard", &reason);
    assert_eq!(decided["message"], "Discarded 1 edit, 1 no longer staged");
}

/// The page shows the diff of an undo that keeps later changes, or why the undo is refused.
#[test]
fn an_undo_is_shown_before_it_is_made() {
    let review = Review::start();
    let [price, tax, total] = [
        ("return 1", "return 10"),
        ("return 2", "return 20"),
        ("return 20", "return 2 + 1"),
    ]
    .map(|(find, content)| {
        let edit_id = review.stage("bill.py", find, content);
        let decided = review.accept(&[&edit_id]);
        assert_eq!(decided["outcomes"][0]["is_done"], true, "{decided}");
        edit_id
    });
    let shown = review.get(&format!("/api/edits/{price}")).body;
    for part in [
        "<section class=\"since note\" aria-label=\"Changes since then\">",
        "Undo keeps these changes, and is written like this:",
        "<h3>bill.py</h3><div class=\"diff\">",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let shown = review.get(&format!("/api/edits/{tax}")).body;
    for part in [
        "note problem",
        "undo is refused now:",
        "<pre>refused: stale_edit",
        &total,
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let shown = review.get(&format!("/api/edits/{total}")).body;
    assert!(!shown.contains("Changes since then"), "{shown}");
    // As shown: one is refused, and all of them are not.
    let decided = review.decide("/api/undo", &json!({"edit_ids": [price, tax]}));
    assert_eq!(decided["outcomes"][0]["edit_id"], tax, "{decided}");
    let decided = review.decide("/api/undo", &json!({"edit_ids": [price]}));
    assert_eq!(decided["message"], "Undid 1 edit in 1 file", "{decided}");
    assert_eq!(
        review.read("bill.py"),
        BILL.replace("return 2", "return 2 + 1")
    );
    let decided = review.decide("/api/undo", &json!({"edit_ids": [tax, total]}));
    assert_eq!(decided["message"], "Undid 2 edits in 1 file", "{decided}");
    assert_eq!(review.read("bill.py"), BILL);
}

/// The page has a checkbox for each file of an edit and for each match, and writes what is checked.
#[test]
fn files_and_matches_are_left_out() {
    let review = Review::start();
    fs::write(review.path("other.py"), BILL).expect("it can be written");
    let rewrite = ["rewrite", "return $A", "return -$A", "*.py"];
    let made = review.run(&rewrite);
    let edit_id = made["edit_id"].as_str().unwrap_or_else(|| panic!("{made}"));
    let shown = review.get(&format!("/api/edits/{edit_id}")).body;
    assert_eq!(shown.matches("class=\"row choice\"").count(), 6, "{shown}");
    assert_eq!(shown.matches("class=\"choice\"").count(), 3, "{shown}");
    for part in [
        "data-noun=\"match\"",
        "data-file=\"1\" data-part=\"2\"> Accept match 3",
        "aria-label=\"Accept the changes of &#60;img src=x onerror=alert(1)&#62;&#38;amp;.py\"",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let listed = review.get("/api/edits").body;
    let names =
        "data-files=\"&#60;img src=x onerror=alert(1)&#62;&#38;amp;.py\nbill.py\nother.py\"";
    assert!(listed.contains(names), "{listed}");
    let body = json!({"edits": [{"edit_id": edit_id, "leave_out": [{"file": 0}, {"file": 1, "part": 3}]}]});
    let decided = review.decide("/api/apply", &body);
    assert_eq!(
        decided["message"],
        "Accepted 1 edit in 2 files; what you left out is still staged"
    );
    assert_eq!(
        review.read("bill.py"),
        BILL.replace("return 1", "return -1")
    );
    assert_eq!(review.read(HOSTILE), BILL);
    let rest = decided["left_out"][0].as_str().expect("an id");
    let accepted = decided["outcomes"][0]["edit_id"].as_str().expect("an id");
    let shown = review.get(&format!("/api/edits/{rest}")).body;
    assert!(
        shown.contains("class=\"row choice\"") && !shown.contains("changed since"),
        "{shown}"
    );
    let shown = review.get(&format!("/api/edits/{accepted}")).body;
    assert!(!shown.contains("type=\"checkbox\""), "{shown}");
    assert_eq!(
        review.accept(&[rest])["message"],
        "Accepted 1 edit in 2 files"
    );
    assert_eq!(
        review.read("bill.py"),
        BILL.replace("return 1", "return -1")
            .replace("return 2", "return -2")
    );
    let decided = review.decide("/api/undo", &json!({"edit_ids": [accepted, rest]}));
    assert_eq!(decided["message"], "Undid 2 edits in 3 files");
    assert_eq!(review.read("bill.py"), BILL);
}

/// The page lists the nodes around a position with their selectors, and stages the edit for one of them.
#[test]
fn another_node_is_selected() {
    let review = Review::start();
    let replace = [
        "replace",
        HOSTILE,
        "--anchor",
        "1",
        "--ancestor",
        "integer",
        "--content",
        "10",
    ];
    let made = review.run(&replace);
    let edit_id = made["edit_id"].as_str().unwrap_or_else(|| panic!("{made}"));
    let shown = review.get(&format!("/api/edits/{edit_id}")).body;
    let targets = "data-targets=\"[{&#34;number&#34;:0,&#34;file&#34;:0,&#34;line&#34;:2,&#34;what&#34;:&#34;replace integer&#34;}]\"";
    assert!(shown.contains(targets), "{shown}");
    let nodes = |line: usize, column: usize| {
        review.get(&format!(
            "/api/edits/{edit_id}/nodes/0?line={line}&column={column}"
        ))
    };
    let around = nodes(6, 11).body;
    let selectors = around.split("class=\"selector\">").skip(1);
    let selectors = selectors.filter_map(|rest| rest.split('<').next());
    insta::assert_snapshot!(selectors.collect::<Vec<_>>().join("\n"), @"
    integer@2
    return_statement@2
    block@2
    function_definition@tax
    ");
    for (line, column) in [(0, 0), (99, 0)] {
        assert_eq!(nodes(line, column).status, 404);
    }
    // A position past the end of the line is at its end.
    assert_eq!(nodes(6, 9_999).body, around);
    assert_eq!(
        review
            .get(&format!("/api/edits/{edit_id}/nodes/7?line=1&column=0"))
            .status,
        404
    );
    let without = review.get(&format!("/api/edits/{edit_id}/nodes/0?line=1"));
    assert_eq!(without.status, 400, "{}", without.body);

    // Refused: the edit stays, and no refused edit is kept.
    for selector in ["integer@3", "script@<script>", "identifier@tax"] {
        let body = json!({"edit_id": edit_id, "selector": selector});
        let bearer = review.bearer();
        let headers = [
            ("Authorization", &*bearer),
            ("Content-Type", "application/json"),
        ];
        let answer = review.send("POST /api/retarget", &headers, &body.to_string());
        assert_eq!(answer.status, 200, "{}", answer.body);
        let decided: Value = serde_json::from_str(&answer.body).expect("it is JSON");
        assert_eq!(
            decided["message"], "The edit is refused for that node",
            "{decided}"
        );
    }
    assert_eq!(
        review.run(&["list"])["edits"].as_array().map(Vec::len),
        Some(1)
    );

    let decided = review.decide(
        "/api/retarget",
        &json!({"edit_id": edit_id, "selector": "integer@2"}),
    );
    assert_eq!(decided["message"], "Staged for the other node", "{decided}");
    let other = decided["left_out"][0].as_str().expect("an id");
    assert_eq!(review.read(HOSTILE), BILL);
    // The node that it already has.
    let decided = review.decide(
        "/api/retarget",
        &json!({"edit_id": other, "selector": "integer@2"}),
    );
    let refusal = decided["outcomes"][0]["text"].as_str().expect("a text");
    assert!(
        refusal.contains("it is already the edit of that node"),
        "{refusal}"
    );
    // Back, and there again.
    let restore = |edit_id: &str| review.decide("/api/restore", &json!({"edit_id": edit_id}));
    let decided = restore(other);
    assert_eq!(
        decided["message"], "Staged for the former node again",
        "{decided}"
    );
    let former = decided["left_out"][0].as_str().expect("an id");
    let shown = review.get(&format!("/api/edits/{former}")).body;
    assert!(shown.contains(targets), "{shown}");
    let decided = restore(former);
    assert_eq!(
        decided["message"],
        "The edit was not staged for another node here"
    );
    let decided = review.decide(
        "/api/retarget",
        &json!({"edit_id": former, "selector": "integer@2"}),
    );
    let other = decided["left_out"][0].as_str().expect("an id");
    let gone = review.run(&["apply", edit_id]);
    let message = gone["error"]["message"].as_str().expect("a message");
    assert!(
        message.contains("a person selected another node"),
        "{message}"
    );
    assert_eq!(
        review.accept(&[other])["message"],
        "Accepted 1 edit in 1 file"
    );
    assert_eq!(review.read(HOSTILE), BILL.replace("return 2", "return 10"));
    // In a file that changed since, only the node that the person has seen is taken.
    fs::write(review.path(HOSTILE), BILL).expect("it can be written");
    let made = review.run(&replace);
    let edit_id = made["edit_id"].as_str().unwrap_or_else(|| panic!("{made}"));
    let swapped = BILL
        .replace("return 1", "return 0")
        .replace("return 2", "return 1");
    let swapped = swapped.replace("return 0", "return 2");
    fs::write(review.path(HOSTILE), &swapped).expect("it can be written");
    let body = json!({"edit_id": edit_id, "selector": "integer@2"});
    let decided = review.decide("/api/retarget", &body);
    let refusal = decided["outcomes"][0]["text"].as_str().expect("a text");
    assert!(
        refusal.contains("stale_edit") && refusal.contains("does not select that node any more"),
        "{refusal}"
    );
    assert_eq!(review.status(edit_id), "previewed");
    let elsewhere = format!("# Elsewhere.\n{BILL}");
    fs::write(review.path(HOSTILE), &elsewhere).expect("it can be written");
    let decided = review.decide("/api/retarget", &body);
    assert_eq!(decided["message"], "Staged for the other node", "{decided}");
    let other = decided["left_out"][0].as_str().expect("an id");
    review.accept(&[other]);
    assert_eq!(
        review.read(HOSTILE),
        elsewhere.replace("return 2", "return 10")
    );
    // A replaced text is searched in the node.
    let text = review.stage("bill.py", "return 1", "return 10");
    let body = json!({"edit_id": text, "edit_index": 0, "selector": "function_definition@tax"});
    let decided = review.decide("/api/retarget", &body);
    let refusal = decided["outcomes"][0]["text"].as_str().expect("a text");
    assert!(
        refusal.contains("refused: ") && refusal.contains("return 1"),
        "{refusal}"
    );
    // A pattern determines its matches.
    let made = review.run(&["rewrite", "return $A", "return -$A", "bill.py"]);
    let edit_id = made["edit_id"].as_str().unwrap_or_else(|| panic!("{made}"));
    let shown = review.get(&format!("/api/edits/{edit_id}")).body;
    assert!(!shown.contains("data-targets"), "{shown}");
    let why = "data-no-target=\"a pattern determines its matches; leave out the wrong ones\"";
    assert!(shown.contains(why), "{shown}");
}

/// The list has the edits of each client, the newest first. One call is one edit, and its notes are above its diff.
#[test]
fn edits_are_listed_by_client_and_call() {
    let review = Review::start();
    let first = review.stage("bill.py", "return 1", "return 10");
    let mut command = review.command();
    command.arg("serve");
    let own = tempfile::tempdir().expect("a temporary directory can be created");
    let mut agent = crate::mcp::Server::started(command, own);
    agent.initialize("2025-06-18");
    let edit = |file: &str| json!({"op": "replace_text", "file_path": file, "find": "return 2", "new_content": "return 20"});
    let made = agent.call(
        "edit_nodes",
        json!({"edits": [edit("bill.py"), edit(HOSTILE)]}),
    );
    let second = made["structuredContent"]["edit_id"].clone();
    fs::write(review.path("list.py"), "a = [\n    1,\n    2\n]\n").expect("it can be written");
    let insert = json!({"file_path": "list.py", "selector": "integer@2", "position": "after", "new_content": "3"});
    let made = agent.call("insert_node", insert);
    let third = made["structuredContent"]["edit_id"].clone();
    let last = review.stage("bill.py", "return 1", "return 11");
    let list = review.get("/api/edits").body;
    let words = list.split(['<', '>', '"']);
    let words = words.map(str::trim).filter(|word| {
        let is_id = word.len() == 13 && [&first, &last].contains(&&word.to_string());
        is_id || word.starts_with("Staged by ") || [&second, &third].iter().any(|id| *id == word)
    });
    let ids = [&second, &third].map(|id| id.as_str().expect("an id").to_string());
    assert_eq!(
        words.collect::<Vec<_>>(),
        [
            "Staged by command line",
            &last,
            &first,
            "Staged by test",
            &ids[1],
            &ids[0],
        ]
    );
    assert!(list.contains("+1 file</span>"), "{list}");
    let shown = review.get(&format!("/api/edits/{}", ids[1])).body;
    assert!(
        shown.contains("<li class=\"note\">added the separator `,`</li>"),
        "{shown}"
    );
    agent.end();
}

/// A refused edit is shown with everything that the agent reads.
#[test]
fn a_refusal_is_shown_in_full() {
    let review = Review::start();
    let words = [
        "replace",
        "bill.py",
        "--anchor",
        "return",
        "--ancestor",
        "return_statement",
        "--content",
        "return 3",
    ];
    let refused = review.run(&words);
    let edit_id = refused["error"]["edit_id"]
        .as_str()
        .unwrap_or_else(|| panic!("{refused}"));
    let shown = review.get(&format!("/api/edits/{edit_id}")).body;
    for part in [
        "refused: ambiguous_target",
        "matches 2 nodes",
        "return_statement at line",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

/// Ends a loop of another thread when it is dropped, also by a panic.
struct Ended<'a>(&'a AtomicBool);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// An agent that goes on staging, amending and discarding while a person decides changes nothing of what is accepted.
#[test]
fn what_is_accepted_is_what_was_shown_while_an_agent_goes_on() {
    const PER_FILE: usize = 10;
    let files = if is_full() { 100 } else { 10 };
    let review = Review::start();
    let file = |number: usize| format!("f{}.py", number / PER_FILE);
    let find = |number: usize| format!("a{number} = 0");
    for first in (0..files * PER_FILE).step_by(PER_FILE) {
        let lines = (first..first + PER_FILE).map(|number| format!("{}\n", find(number)));
        fs::write(review.path(&file(first)), lines.collect::<String>()).expect("it can be written");
    }
    let caller = treegraft::engine::Caller::Agent { stage_only: true };
    let state = review.directory.path().join("state/treegraft");
    let agent = treegraft::Engine::open_for(caller, &[review.path("")], Some(state));
    let agent = agent.expect("it can be opened");
    let staged = |number: usize, value: &str| {
        let new_content = format!("a{number} = {value}");
        let arguments =
            json!({"file_path": file(number), "find": find(number), "new_content": new_content});
        call(&agent, "replace_text", arguments)
    };
    let edit_ids: Vec<String> = (0..files * PER_FILE)
        .map(|number| {
            let made = staged(number, "1").expect("it is sound").json;
            made["edit_id"].as_str().expect("it is staged").to_string()
        })
        .collect();
    let is_over = AtomicBool::new(false);
    let accepted = std::thread::scope(|scope| {
        let _over = Ended(&is_over);
        scope.spawn(|| {
            for turn in 0.. {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                let number = (turn * 7) % edit_ids.len();
                let edit_id = &edit_ids[number];
                // Each may be refused, since the person may have decided.
                let _ = match turn % 5 {
                    0 => call(
                        &agent,
                        "amend_edit",
                        json!({"edit_id": edit_id, "changes": {"new_content": format!("a{number} = hostile")}}),
                    ),
                    1 => call(&agent, "discard_edit", json!({"edit_id": edit_id})),
                    2 => staged(number, "hostile"),
                    3 => staged(number, "<script>alert(hostile)</script>"),
                    _ => call(&agent, "apply_edit", json!({"edit_id": edit_id})),
                };
            }
        });
        let decided = edit_ids.iter().enumerate().map(|(number, edit_id)| {
            let shown = review.get(&format!("/api/edits/{edit_id}")).body;
            assert!(!shown.contains("hostile"), "{shown}");
            let decided = review.accept(&[edit_id]);
            let is_accepted = decided["message"] == "Accepted 1 edit in 1 file";
            let text = review.read(&file(number));
            let value = if is_accepted { "1" } else { "0" };
            assert!(
                text.contains(&format!("a{number} = {value}\n")),
                "{decided}\n{text}"
            );
            is_accepted
        });
        decided.collect::<Vec<bool>>()
    });
    for (number, is_accepted) in accepted.iter().enumerate() {
        let value = if *is_accepted { "1" } else { "0" };
        let text = review.read(&file(number));
        assert!(text.contains(&format!("a{number} = {value}\n")), "{text}");
    }
    assert!(accepted.contains(&true), "it is always quicker");
    let list = review.get("/api/edits").body;
    assert!(!list.contains("<script>"), "{list}");
}

/// The stream reports the edits that other processes stage, and those whose files change, by id.
#[test]
fn changes_of_other_processes_arrive() {
    let review = Review::start();
    let bearer = review.bearer();
    let stream = review.connect("GET /api/changes", &[("Authorization", &bearer)], "");
    let mut events = BufReader::new(stream)
        .lines()
        .map(|line| line.expect("it goes on"))
        .filter_map(|line| line.strip_prefix("data: ").map(str::to_string));
    const MARKS: &str = "{\"edit_ids\":[]}";
    assert_eq!(events.next().as_deref(), Some(MARKS));
    // One that is about the marks of the list alone may come before or after.
    let mut events = events.filter(|event| event != MARKS);
    let edit_id = review.stage("bill.py", "return 1", "return 10");
    assert_eq!(
        events.next(),
        Some(format!("{{\"edit_ids\":[\"{edit_id}\"]}}"))
    );
    // The files of an edit that a page shows are watched too.
    let page = || review.get(&format!("/api/edits/{edit_id}")).body;
    assert!(!page().contains("Changes since then"));
    for change in ["return 3", "return 1"] {
        fs::write(review.path("bill.py"), BILL.replace("return 1", change))
            .expect("it can be written");
        assert_eq!(
            events.next(),
            Some(format!("{{\"edit_ids\":[\"{edit_id}\"]}}"))
        );
        assert_eq!(page().contains("Changes since then"), change == "return 3");
    }
    review.run(&["discard", &edit_id]);
    assert_eq!(
        events.next(),
        Some(format!("{{\"edit_ids\":[\"{edit_id}\"]}}"))
    );
}

/// The list marks the edits that do not fit their changed files, and the page shows each as its request makes it now: also a
/// rewrite, and a part of an edit. Accepting it stages exactly that.
#[test]
fn stale_edits_are_marked_and_shown_as_they_are_now() {
    let review = Review::start();
    let page = |edit_id: &str| review.get(&format!("/api/edits/{edit_id}")).body;
    let is_marked = |edit_id: &str, fit: &str| {
        let list = review.get("/api/edits").body;
        let item = list.split("<li ").find(|item| item.contains(edit_id));
        let item = item.unwrap_or_else(|| panic!("{list}"));
        item.contains(&format!("<span class=\"badge fit\">{fit}</span>"))
            && item.contains(&format!("({fit})\""))
    };
    let id = |made: &Value| {
        made["edit_id"]
            .as_str()
            .unwrap_or_else(|| panic!("{made}"))
            .to_string()
    };
    // Returns the added lines of the diff that the page shows as it is now.
    let fresh = |edit_id: &str| {
        let shown = page(edit_id);
        let since = shown.split("class=\"since").nth(1);
        let since = since.and_then(|rest| rest.split("</section>").next());
        let since = since.unwrap_or_else(|| panic!("{shown}"));
        let added = since.split("<span class=\"spoken\">added: </span>").skip(1);
        let lines = added.filter_map(|rest| rest.split("</code>").next());
        let bare = lines.map(|line| {
            let texts = line
                .split('<')
                .map(|part| part.rsplit('>').next().unwrap_or(part));
            texts.collect::<String>().trim().to_string()
        });
        bare.collect::<Vec<String>>()
    };
    // Accepts an edit, which is refused, and returns the id of the fresh one.
    let again = |edit_id: &str| {
        let known: Vec<Value> = review.run(&["list"])["edits"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let decided = review.accept(&[edit_id]);
        let refusal = decided["outcomes"][0]["text"].as_str().expect("a refusal");
        assert!(refusal.contains("stale_edit"), "{refusal}");
        let now = review.run(&["list", "--status", "previewed"]);
        let edits = now["edits"].as_array().expect("edits").iter();
        let mut new =
            edits.filter(|edit| known.iter().all(|one| one["edit_id"] != edit["edit_id"]));
        new.next().map(id)
    };

    // A rewrite: also a match that is new is rewritten.
    let rewrite = id(&review.run(&["rewrite", "return $A", "return -$A", "bill.py"]));
    // Matches by number may be others now.
    let numbered = id(&review.run(&[
        "rewrite",
        "return $A",
        "return +$A",
        "bill.py",
        "--only",
        "2",
    ]));
    assert!(!is_marked(&rewrite, "stale"));
    let changed = format!(
        "{}\n\ndef rate():\n    return 3\n",
        BILL.replace("return 1", "return 10")
    );
    fs::write(review.path("bill.py"), &changed).expect("it can be written");
    assert_eq!(fresh(&rewrite), ["return -10", "return -2", "return -3"]);
    assert!(is_marked(&rewrite, "stale"));
    assert!(page(&numbered).contains("is now refused: the matches may have other numbers now"));
    assert!(is_marked(&numbered, "stale"));
    let new = again(&rewrite).expect("a fresh preview");
    assert_eq!(
        review.accept(&[&new])["message"],
        "Accepted 1 edit in 1 file"
    );
    let negated = changed.replace("return ", "return -");
    assert_eq!(review.read("bill.py"), negated);
    review.run(&["undo", &new]);
    for edit_id in [&rewrite, &numbered, &new] {
        review.run(&["discard", edit_id]);
    }
    fs::write(review.path("bill.py"), BILL).expect("it can be written");

    // Accepts the first part of an edit, and returns the id of what is left.
    let without_second = |edit_id: &str| {
        let chosen =
            json!({"edits": [{"edit_id": edit_id, "leave_out": [{"file": 0, "part": 1}]}]});
        let decided = review.decide("/api/apply", &chosen);
        let left = decided["left_out"][0].as_str();
        left.unwrap_or_else(|| panic!("{decided}")).to_string()
    };

    // What is left of a call of several edits.
    let edits = json!([
        {"op": "replace", "file_path": "bill.py", "selector": "function_definition@price", "new_content": "def cost():\n    return 7"},
        {"op": "replace", "file_path": "bill.py", "selector": "function_definition@tax", "new_content": "def vat():\n    return 8"},
    ]);
    let both = id(&review.run(&["edit", &edits.to_string()]));
    let rest = without_second(&both);
    let text = review.read("bill.py").replace("return 2", "return 22");
    fs::write(review.path("bill.py"), &text).expect("it can be written");
    assert_eq!(fresh(&rest), ["def vat():", "return 8"]);
    assert!(is_marked(&rest, "stale"));
    let new = again(&rest).expect("a fresh preview");
    review.accept(&[&new]);
    assert_eq!(
        review.read("bill.py"),
        "def cost():\n    return 7\n\n\ndef vat():\n    return 8\n"
    );
    review.run(&["discard", &rest]);
    fs::write(review.path("bill.py"), BILL).expect("it can be written");

    // What is left of a rewrite: the other match is left out, even if it has moved.
    let rewrite = id(&review.run(&["rewrite", "return $A", "return -$A", "bill.py"]));
    let rest = without_second(&rewrite);
    let text = format!(
        "# New.\n{}",
        review.read("bill.py").replace("return 2", "return rate")
    );
    fs::write(review.path("bill.py"), &text).expect("it can be written");
    assert_eq!(fresh(&rest), ["return -rate"], "{}", page(&rest));
    let new = again(&rest).expect("a fresh preview");
    review.accept(&[&new]);
    let written = text.replace("return rate", "return -rate");
    assert_eq!(review.read("bill.py"), written);
    review.run(&["undo", &new]);
    review.run(&["discard", &new]);
    // If the left-out match changed too, nobody knows which one is meant.
    fs::write(
        review.path("bill.py"),
        text.replace("return -1", "return -7"),
    )
    .expect("it can be written");
    let why = "changed where matches were left out, so which matches are meant is not known";
    assert!(page(&rest).contains(why), "{}", page(&rest));
    assert!(is_marked(&rest, "stale"));
    assert_eq!(again(&rest), None);
    assert_eq!(
        review.read("bill.py"),
        text.replace("return -1", "return -7")
    );
}

/// Writes the configuration of a server that formats each file in the same way: the number in its second line is 10.
pub(crate) fn configure_server(directory: &Path) {
    let configuration = directory.join("config/treegraft");
    fs::create_dir_all(&configuration).expect("it can be created");
    let position = |character: u32| json!({"line": 1, "character": character});
    let range = json!({"start": position(11), "end": position(12)});
    let answers = json!({
        "capabilities": {"documentFormattingProvider": true},
        "textDocument/formatting": [{"range": range, "newText": "10"}],
    });
    let file = directory.join("answers.json");
    fs::write(&file, answers.to_string()).expect("it can be written");
    let script = crate::support::repository().join("tests/lsp/scripted_server.py");
    let command = json!([
        "python3",
        script,
        "plain",
        format!("answers={}", file.display())
    ]);
    let text = format!("[servers.python]\ncommand = {command}\n");
    fs::write(configuration.join("config.toml"), text).expect("it can be written");
}

/// The language server is asked what a stale edit of it changes now if the person wants that.
#[test]
fn a_stale_edit_of_a_language_server_is_shown_as_it_is_now() {
    let review = Review::start();
    configure_server(review.directory.path());
    // The server of the page has read the configuration before.
    let review = review.another();
    let made = review.run(&["lsp", "format", "bill.py"]);
    let edit_id = made["edit_id"].as_str().unwrap_or_else(|| panic!("{made}"));
    let url = format!("/api/edits/{edit_id}");
    assert!(review.get(&url).body.contains(">10<"));
    let changed = BILL.replace("return 1", "return 7");
    fs::write(review.path("bill.py"), &changed).expect("it can be written");
    let shown = review.get(&url).body;
    for part in [
        "Only its language server knows",
        "<button type=\"button\" data-do=\"ask\"",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let asked = review.get(&format!("{url}?ask=true")).body;
    let since = asked.split("class=\"since").nth(1);
    let since = since.and_then(|rest| rest.split("</section>").next());
    let since = since.unwrap_or_else(|| panic!("{asked}"));
    for part in ["Accept stages a fresh preview", ">7<", ">10<"] {
        assert!(since.contains(part), "{part}: {since}");
    }
    assert_eq!(review.get(&format!("{url}?ask=maybe")).status, 400);
    assert_eq!(review.get(&format!("{url}?other=true")).status, 400);
    assert_eq!(review.read("bill.py"), changed);
    assert_eq!(
        review.run(&["list"])["edits"].as_array().map(Vec::len),
        Some(1)
    );
}

/// The list marks edits without reading their files again at each look, and large files are not parsed for it.
#[test]
fn an_edit_of_a_large_file_is_marked_as_changed_until_it_is_shown() {
    let review = Review::start();
    let lines = |changed: usize| {
        let text = "long ".repeat(60);
        let lines = (0..2_000).map(|n| format!("a{n} = {}  # {text}\n", i32::from(n == changed)));
        lines.collect::<String>()
    };
    fs::write(review.path("large.py"), lines(2_000)).expect("it can be written");
    let edit_id = review.stage("large.py", "a1000 = 0", "a1000 = 2");
    let list = || review.get("/api/edits").body;
    assert!(!list().contains("badge fit"), "{}", list());
    fs::write(review.path("large.py"), lines(3)).expect("it can be written");
    assert!(
        list().contains("<span class=\"badge fit\">file changed</span>"),
        "{}",
        list()
    );
    let shown = review.get(&format!("/api/edits/{edit_id}")).body;
    assert!(shown.contains("The edit still fits"), "{shown}");
    assert!(!list().contains("badge fit"), "{}", list());
    fs::write(review.path("large.py"), lines(1_000)).expect("it can be written");
    assert!(list().contains("file changed"), "{}", list());
    review.get(&format!("/api/edits/{edit_id}"));
    assert!(
        list().contains("<span class=\"badge fit\">stale</span>"),
        "{}",
        list()
    );
    fs::write(review.path("large.py"), lines(2_000)).expect("it can be written");
    assert!(!list().contains("badge fit"), "{}", list());
}

/// A diff that would be written now is shown whole.
#[test]
fn a_long_diff_of_a_stale_edit_is_sent_in_parts() {
    let review = Review::start();
    let list = |word: &str| {
        let items = (0..600).map(|n| format!("    {word}{n},\n"));
        format!("x = [\n{}]\n", items.collect::<String>())
    };
    fs::write(review.path("new.py"), list("b")).expect("it can be written");
    fs::write(review.path("content"), list("c")).expect("it can be written");
    let words = [
        "replace",
        "new.py",
        "--anchor",
        "x = [",
        "--ancestor",
        "assignment",
    ];
    let made = review.run(&[&words[..], &["--content-file", "content"]].concat());
    let edit_id = made["edit_id"].as_str().unwrap_or_else(|| panic!("{made}"));
    fs::write(review.path("new.py"), format!("y = 1\n{}", list("b"))).expect("it can be written");
    let shown = review.get(&format!("/api/edits/{edit_id}")).body;
    let url = format!("data-url=\"api/edits/{edit_id}/now/0?from=400\"");
    assert!(shown.contains(&url), "{}", shown.len());
    let rest = review
        .get(&format!("/api/edits/{edit_id}/now/0?from=1000"))
        .body;
    assert!(
        rest.contains("c599,") && !rest.contains("class=\"rest\""),
        "{rest}"
    );
    let none = review.get(&format!("/api/edits/{edit_id}/now/1?from=0"));
    assert_eq!(none.status, 404);
}

/// Unchanged lines and the rest of a long diff are sent when they are requested.
#[test]
fn long_diffs_are_sent_in_parts() {
    let review = Review::start();
    let lines = |word: &str| {
        (0..5_000)
            .map(|n| format!("{word}{n} = {n}\n"))
            .collect::<String>()
    };
    fs::write(review.path("large.py"), lines("a")).expect("it can be written");
    let one = review.stage("large.py", "a3000 = 3000", "a3000 = 0");
    let shown = review.get(&format!("/api/edits/{one}")).body;
    assert!(
        shown.len() < 10_000 && shown.contains("Show 400 of 2997 unchanged lines"),
        "{shown}"
    );
    let rows = review
        .get(&format!("/api/edits/{one}/files/0?old=1&new=1&count=2997"))
        .body;
    assert_eq!(rows.matches("class=\"row same\"").count(), 400);
    assert!(
        rows.contains("?old=401&#38;new=401&#38;count=2597"),
        "{rows}"
    );

    let list = |word: &str| {
        let items = (0..3_000).map(|n| format!("    {word}{n},\n"));
        format!("x = [\n{}]\n", items.collect::<String>())
    };
    fs::write(review.path("new.py"), list("b")).expect("it can be written");
    fs::write(review.path("content"), list("c")).expect("it can be written");
    let made = review.run(&[
        "replace",
        "new.py",
        "--anchor",
        "x = [",
        "--ancestor",
        "assignment",
        "--content-file",
        "content",
    ]);
    let edit_id = made["edit_id"].as_str().unwrap_or_else(|| panic!("{made}"));
    let shown = review.get(&format!("/api/edits/{edit_id}")).body;
    assert_eq!(shown.matches("class=\"row ").count(), 400);
    assert!(shown.contains("Show 5602 more lines"), "{}", shown.len());
    let last = review
        .get(&format!("/api/edits/{edit_id}/files/0?from=5602"))
        .body;
    assert_eq!(last.matches("class=\"row ").count(), 400);
    assert!(!last.contains("class=\"rest\""));
}

/// The page judges an edit of a file and of whole files as `apply` does.
#[test]
fn the_page_says_what_changed_under_new_and_edited_files() {
    let review = Review::start();
    let edits = json!([
        {"op": "create_file", "file_path": "new/rate.py", "new_content": "RATE = 2\n"},
        {"op": "move_file", "file_path": HOSTILE, "to": "moved.py"},
        {"op": "replace_text", "file_path": "bill.py", "find": "return 2", "new_content": "return 3"},
    ]);
    let made = review.run(&["edit", &edits.to_string()]);
    let edit_id = made["edit_id"].as_str().expect("it is staged");
    let page = || review.get(&format!("/api/edits/{edit_id}")).body;
    for part in [
        "<span class=\"badge\">new file</span>",
        "<span class=\"badge\">moved to moved.py</span>",
    ] {
        assert!(page().contains(part), "{part}: {}", page());
    }
    assert!(!page().contains("changed since"), "{}", page());
    let elsewhere = BILL.replace("return 1", "return 7");
    fs::write(review.path("bill.py"), &elsewhere).expect("it can be written");
    assert!(page().contains("The edit still fits"), "{}", page());
    fs::create_dir(review.path("new")).expect("it can be created");
    fs::write(review.path("new/rate.py"), "mine\n").expect("it can be written");
    assert!(
        page().contains("is now refused: `new/rate.py` already exists"),
        "{}",
        page()
    );
    let decided = review.accept(&[edit_id]);
    assert_eq!(decided["outcomes"][0]["is_done"], false);
    assert_eq!(review.read("new/rate.py"), "mine\n");
    fs::remove_file(review.path("new/rate.py")).expect("it is there");
    let decided = review.accept(&[edit_id]);
    assert_eq!(decided["outcomes"][0]["is_done"], true, "{decided}");
    assert_eq!(review.read("new/rate.py"), "RATE = 2\n");
    assert_eq!(review.read("moved.py"), BILL);
    assert_eq!(
        review.read("bill.py"),
        elsewhere.replace("return 2", "return 3")
    );
}

/// The browser gets a file that only the user can read, not the link as an argument. The file is removed.
#[cfg(target_os = "linux")]
#[test]
fn the_browser_is_opened_through_a_private_file() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    fs::create_dir(directory.path().join("workspace")).expect("it can be created");
    let programs = crate::support::repository().join("tests/review/bin");
    let path = format!(
        "{}:{}",
        programs.display(),
        std::env::var("PATH").expect("a path")
    );
    let mut command = command(directory.path());
    command.arg("review").env("PATH", path).env("DISPLAY", ":0");
    let (mut process, link) = started(&mut command);
    let (_, token) = parts(&link);
    let of = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap_or_default();
    let until = std::time::Instant::now() + PATIENCE;
    while of("done").is_empty() && std::time::Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(of("done"), "600\n");
    assert!(
        of("page").contains(&format!("url={link}\"")),
        "{}",
        of("page")
    );
    let arguments = of("arguments");
    assert!(!arguments.contains(&token), "{arguments}");
    let own = fs::read_to_string(format!("/proc/{}/cmdline", process.id())).expect("it runs");
    assert!(!own.contains(&token), "{own}");
    assert!(Path::new(arguments.trim()).is_file(), "{arguments}");

    let stopped = Command::new("kill").arg(process.id().to_string()).status();
    assert!(stopped.expect("kill runs").success());
    assert!(process.wait().expect("it stops").success());
    assert!(!Path::new(arguments.trim()).exists(), "{arguments}");
}
