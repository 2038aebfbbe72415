//! Language servers over pipes, with a server that a test controls
//! (`tests/lsp/scripted_server.py`). Without `python3` these tests fail.

#![expect(
    clippy::disallowed_methods,
    reason = "tests create files and inspect processes"
)]

use std::ffi::OsString;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use gen_lsp_types::{Diagnostic, Location};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;
use treegraft::language;
use treegraft::lsp::client::LspClient;
use treegraft::lsp::configuration::{Configuration, ServerConfiguration};
use treegraft::lsp::diagnostics::DiagnosticsWait;
use treegraft::lsp::documents::Stamp;
use treegraft::lsp::language_server::LanguageServer;
use treegraft::lsp::launch::{DiagnosticsRule, Launch, Timeouts};
use treegraft::lsp::process::{Processes, STDERR_TAIL};
use treegraft::lsp::project_check::ProjectCheck;
use treegraft::lsp::readiness::{ChangeTracking, ReadyRule};
use treegraft::lsp::servers::{ServerLimits, Servers};
use treegraft::lsp::uri::uri_of;
use treegraft::lsp::{Completeness, Missing, ServerError, Situation};
use treegraft::source::{EncodedPosition, Encoding, Position, Source};

/// Longer than any successful operation takes, even on a busy machine.
const LONG: Duration = Duration::from_secs(60);
/// Short enough to wait for.
const SHORT: Duration = Duration::from_millis(300);
/// Does not elapse during a test.
const NEVER: Duration = Duration::from_secs(3600);

const SCRIPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/lsp/scripted_server.py"
);
const DEFINITION: &str = "textDocument/definition";

/// A directory, and the command that starts the scripted server in it.
struct Fixture {
    directory: TempDir,
    launch: Launch,
}

impl Fixture {
    fn new(mode: &str, settings: &[&str]) -> Fixture {
        let directory = TempDir::new().expect("a temporary directory can be created");
        let launch = Launch {
            name: "scripted".to_string(),
            command: command(mode, settings),
            roots: vec![utf8(&directory)],
            settings: json!({"a": {"b": "set"}}),
            initialization_options: Value::Null,
            ready: ReadyRule::Immediate,
            tracking: ChangeTracking::Files,
            diagnostics: DiagnosticsRule::default(),
            limitation: None,
            timeouts: Timeouts {
                start: LONG,
                cold: LONG,
                warm: LONG,
                stop: LONG,
            },
        };
        Fixture { directory, launch }
    }

    fn path(&self, name: &str) -> Utf8PathBuf {
        utf8(&self.directory).join(name)
    }

    fn start(&self) -> LspClient {
        self.try_start().expect("the scripted server starts")
    }

    fn try_start(&self) -> Result<LspClient, ServerError> {
        LspClient::start(self.launch.clone(), &Processes::default())
    }

    fn definition(&self, client: &LspClient) -> Result<Option<Vec<Location>>, ServerError> {
        client.ask(DEFINITION, self.params())
    }

    fn params(&self) -> Value {
        json!({
            "textDocument": {"uri": uri_of(&self.path("a.py"))},
            "position": {"line": 0, "character": 0},
        })
    }
}

fn command(mode: &str, settings: &[&str]) -> Vec<String> {
    let words = ["python3", SCRIPT, mode];
    let words = words.iter().chain(settings);
    words.map(|word| word.to_string()).collect()
}

fn utf8(directory: &TempDir) -> Utf8PathBuf {
    let path = directory.path().canonicalize().expect("it exists");
    Utf8PathBuf::from_path_buf(path).expect("temporary directories have UTF-8 names")
}

/// Returns an outcome in one or two words.
fn outcome(answer: &Result<Option<Vec<Location>>, ServerError>) -> String {
    match answer {
        Ok(None) => "nothing".to_string(),
        Ok(Some(locations)) => format!("{} found", locations.len()),
        Err(error) => match &error.situation {
            Situation::NotInstalled { .. } => "not installed".to_string(),
            Situation::SpawnFailed { .. } => "spawn failed".to_string(),
            Situation::HandshakeFailed { .. } => "handshake failed".to_string(),
            Situation::Timeout { .. } => "timeout".to_string(),
            Situation::Crashed { how, .. } => format!("crashed: {how}"),
            Situation::Malformed { .. } => "malformed".to_string(),
            Situation::NotReady { .. } => "not ready".to_string(),
            Situation::Refused { code, .. } => format!("refused: {code}"),
        },
    }
}

/// Asks twice, stops the server, and checks that no process is left.
fn check(mode: &str, first: &str, second: &str) {
    let fixture = Fixture::new(mode, &[]);
    let client = fixture.start();
    for expected in [first, second] {
        assert_eq!(outcome(&fixture.definition(&client)), expected, "{mode}");
    }
    let group = client.process_id();
    drop(client);
    assert_gone(group);
}

/// Waits until no process of the group is running.
fn assert_gone(group: u32) {
    let group = i32::try_from(group).ok();
    let group = group.and_then(rustix::process::Pid::from_raw);
    let group = group.expect("it is a process id");
    let deadline = Instant::now() + LONG;
    // The process that adopts orphans may need a moment to reap them.
    while rustix::process::test_kill_process_group(group).is_ok() {
        assert!(Instant::now() < deadline, "the group {group:?} still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn text_around_messages_is_ignored() {
    for mode in [
        "fine",
        "banner",
        "banner_without_end",
        "lower_case_header",
        "content_type_header",
        "bare_line_ends",
        "dribbles",
    ] {
        check(mode, "1 found", "1 found");
    }
}

#[test]
fn unusual_messages_are_handled() {
    for mode in [
        "unknown_notification",
        "error_without_id",
        "bad_json",
        "no_version",
        "asks_under_our_id",
        "unknown_request",
        "modified_once",
    ] {
        check(mode, "1 found", "1 found");
    }
}

#[test]
fn floods_of_output_are_handled() {
    check("floods_complaints", "1 found", "1 found");
    check("floods_notifications", "1 found", "1 found");
    check("many_locations", "400000 found", "400000 found");
}

#[test]
fn no_failure_looks_like_an_answer() {
    check("wrong_shape", "malformed", "malformed");
    check("bad_utf8", "malformed", "malformed");
    check("too_large", "malformed", "malformed");
    check("fraction_code", "refused: -32801", "refused: -32801");
    check("dies_at_second", "1 found", "crashed: exit status: 3");
    let killed = "crashed: signal: 9 (SIGKILL)";
    check("closes_output", killed, killed);
}

#[test]
fn an_empty_result_is_an_answer() {
    check("null_result", "nothing", "nothing");
    check("result_and_error_null", "nothing", "nothing");
}

#[test]
fn a_server_that_does_not_exit_is_killed() {
    for mode in [
        "no_answer_to_shutdown",
        "stays_after_exit",
        "ignores_signals",
    ] {
        let mut fixture = Fixture::new(mode, &[]);
        fixture.launch.timeouts.stop = SHORT;
        let client = fixture.start();
        assert_eq!(outcome(&fixture.definition(&client)), "1 found");
        let group = client.process_id();
        client.stop();
        assert_gone(group);
        assert_eq!(
            fixture
                .definition(&client)
                .expect_err("it has ended")
                .server,
            "scripted"
        );
    }
}

#[test]
fn a_server_that_was_stopped_is_not_alive() {
    // Another process keeps the server's pipes open, so its end is noticed a moment later.
    let fixture = Fixture::new("fine", &["stranger=3"]);
    let client = fixture.start();
    assert!(client.is_alive());
    client.stop();
    assert!(!client.is_alive());
}

#[test]
fn a_child_of_the_server_ends_with_it() {
    let pid = |fixture: &Fixture| fixture.path("child");
    for mode in ["fine", "dies_at_second", "slow_start"] {
        let mut fixture = Fixture::new(mode, &[]);
        fixture
            .launch
            .command
            .push(format!("child={}", pid(&fixture)));
        if mode == "slow_start" {
            // This server has no known process group; its child is named in the file.
            fixture.launch.timeouts = Timeouts {
                start: Duration::from_secs(3),
                stop: SHORT,
                ..fixture.launch.timeouts
            };
            let error = fixture.try_start().expect_err("it never starts");
            let why = "did not answer initialize within 3000 ms".to_string();
            assert_eq!(error.situation, Situation::HandshakeFailed { why });
        } else {
            let client = fixture.start();
            let answers = [fixture.definition(&client), fixture.definition(&client)];
            assert_eq!(outcome(&answers[0]), "1 found");
            assert_eq!(client.is_alive(), mode == "fine");
            let group = client.process_id();
            drop(client);
            assert_gone(group);
        }
        let child = fs::read_to_string(pid(&fixture)).expect("the child's process id is written");
        assert_ended(child.parse().expect("a number"));
    }
}

/// Waits until a process has ended, even if nobody reaps it.
pub(crate) fn assert_ended(process: i32) {
    let process = rustix::process::Pid::from_raw(process).expect("it is a process id");
    let deadline = Instant::now() + LONG;
    let is_reaped = || rustix::process::test_kill_process(process).is_err();
    let is_dead = || {
        let state = fs::read_to_string(format!(
            "/proc/{process}/stat",
            process = process.as_raw_nonzero()
        ));
        state.is_ok_and(|state| state.contains(") Z "))
    };
    while !is_reaped() && !is_dead() {
        assert!(Instant::now() < deadline, "{process:?} still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_server_that_fails_to_initialize_is_reported_with_its_error() {
    let fixture = Fixture::new("ends_at_start", &[]);
    let error = fixture.try_start().expect_err("it ends");
    let why = "exited: exit status: 1".to_string();
    assert_eq!(error.situation, Situation::HandshakeFailed { why });
    assert_eq!(error.tail, "error: unknown option --lsp\n");
    assert_eq!(error.command, fixture.launch.command);

    let fixture = Fixture::new("refuses_to_start", &[]);
    let error = fixture.try_start().expect_err("it refuses");
    let why = "refused initialize: no licence (-32002)".to_string();
    assert_eq!(error.situation, Situation::HandshakeFailed { why });

    let mut fixture = Fixture::new("fine", &[]);
    fixture.launch.command[0] = "/no/such/program".to_string();
    let error = fixture.try_start().expect_err("it is not there");
    assert!(
        matches!(error.situation, Situation::SpawnFailed { .. }),
        "{error}"
    );
}

#[test]
fn an_unanswered_question_is_cancelled_and_the_next_is_answered() {
    let fixture = Fixture::new("first_unanswered", &[]);
    let client = fixture.start();
    let answer: Result<Value, _> = client.ask_within(DEFINITION, fixture.params(), SHORT);
    assert_eq!(
        answer.expect_err("it does not answer").situation,
        Situation::Timeout {
            method: DEFINITION.to_string(),
            waited: SHORT,
            unreadable: None,
        }
    );
    assert_eq!(outcome(&fixture.definition(&client)), "1 found");
    let received: Vec<(String, Value)> = client
        .ask("scripted/heard", Value::Null)
        .expect("the server answers");
    let asked = received.iter().position(|(method, _)| method == DEFINITION);
    let cancelled = received
        .iter()
        .position(|(method, _)| method == "$/cancelRequest");
    assert!(asked.is_some() && asked < cancelled, "{received:?}");
}

#[test]
fn a_timeout_reports_the_unreadable_message() {
    let fixture = Fixture::new("only_bad_json", &[]);
    let client = fixture.start();
    let answer: Result<Value, _> = client.ask_within(DEFINITION, fixture.params(), SHORT);
    let Situation::Timeout { unreadable, .. } = answer.expect_err("no answer").situation else {
        panic!("it times out");
    };
    // On a busy machine, not even the unreadable message may have arrived in time.
    let expected = "not JSON: key must be a string at line 1 column 2";
    assert!(unreadable.is_none_or(|why| why == expected));
}

#[test]
fn a_server_that_does_not_read_blocks_no_caller() {
    let mut fixture = Fixture::new("deaf", &[]);
    fixture.launch.timeouts.stop = SHORT;
    let client = fixture.start();
    let text = "x".repeat(1 << 20);
    let began = Instant::now();
    for _ in 0..100 {
        // More than a pipe buffers, and in the end more than the client queues.
        let params = json!({"text": text});
        let answer: Result<Value, _> =
            client.ask_within("custom/ask", params, Duration::from_millis(1));
        let error = answer.expect_err("it does not answer");
        assert!(
            matches!(error.situation, Situation::Timeout { .. }),
            "{error}"
        );
    }
    assert!(began.elapsed() < LONG);
    let error = client.notify("custom/tell", json!({"text": text}));
    let error = error.expect_err("the queue is full");
    assert!(
        matches!(error.situation, Situation::Timeout { .. }),
        "{error}"
    );
    let group = client.process_id();
    drop(client);
    assert_gone(group);
}

#[test]
fn a_crash_is_reported_to_all_waiting_callers_at_once() {
    let fixture = Fixture::new("dies_at_second", &[]);
    let client = fixture.start();
    assert_eq!(outcome(&fixture.definition(&client)), "1 found");
    std::thread::scope(|scope| {
        let asking: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| fixture.definition(&client)))
            .collect();
        for one in asking {
            let answer = one.join().expect("no question panics");
            assert_eq!(outcome(&answer), "crashed: exit status: 3");
            let error = answer.expect_err("it has crashed");
            assert_eq!(error.tail, "panicked at the second question\n");
        }
    });
}

#[test]
fn the_end_of_standard_error_is_kept() {
    let fixture = Fixture::new("floods_complaints", &[]);
    let client = fixture.start();
    assert_eq!(outcome(&fixture.definition(&client)), "1 found");
    let deadline = Instant::now() + LONG;
    while !client.last_stderr().ends_with("the last words\n") {
        assert!(Instant::now() < deadline, "{}", client.last_stderr());
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(client.last_stderr().len(), STDERR_TAIL);
}

#[test]
fn every_request_of_the_server_is_answered() {
    let fixture = Fixture::new("asks_under_our_id", &[]);
    let client = fixture.start();
    assert_eq!(outcome(&fixture.definition(&client)), "1 found");
    // The server's request had the same id as the question.
    let answers: Value = client
        .ask("scripted/answers", Value::Null)
        .expect("the server answers");
    assert_eq!(answers, json!({"2": ["set", {"a": {"b": "set"}}]}));

    let fixture = Fixture::new("unknown_request", &[]);
    let client = fixture.start();
    assert_eq!(outcome(&fixture.definition(&client)), "1 found");
    let answers: Value = client
        .ask("scripted/answers", Value::Null)
        .expect("the server answers");
    assert_eq!(answers["zz"]["code"], -32601);
}

#[test]
fn the_edits_of_a_command_are_returned_to_its_caller() {
    let fixture = Fixture::new("fine", &[]);
    let client = fixture.start();
    let executed = client.execute("tidy", &[]).expect("it can be executed");
    assert_eq!((executed.result, executed.edits.len()), (Value::Null, 1));
    let answers: Value = client
        .ask("scripted/answers", Value::Null)
        .expect("the server answers");
    assert_eq!(answers, json!({"edit": {"applied": true}}));
    // The same edit without a command of ours.
    let nobody: Value = client
        .ask("workspace/executeCommand", json!({"command": "tidy"}))
        .expect("it can be executed");
    let answers: Value = client
        .ask("scripted/answers", Value::Null)
        .expect("the server answers");
    assert_eq!(
        (nobody, &answers["edit"]["applied"]),
        (Value::Null, &json!(false))
    );
}

#[test]
fn an_unknown_method_is_refused_with_the_servers_message() {
    let fixture = Fixture::new("fine", &[]);
    let answer: Result<Value, _> = fixture.start().ask("custom/ask", Value::Null);
    assert_eq!(
        answer.expect_err("the method is unknown").situation,
        Situation::Refused {
            method: "custom/ask".to_string(),
            code: -32601,
            message: "custom/ask is unknown".to_string(),
        }
    );
}

fn tell(client: &LspClient, params: Value) {
    let sent: Value = client
        .ask("scripted/state", params)
        .expect("the server answers");
    assert_eq!(sent, Value::Null);
}

#[test]
fn a_server_is_not_ready_before_its_progress_ends() {
    let mut fixture = Fixture::new("fine", &[]);
    let begins_within = NEVER;
    fixture.launch.ready = ReadyRule::Progress {
        begins_within,
        idle_request: None,
    };
    let client = fixture.start();
    let indexes = |what: &str| Completeness::StillIndexing {
        what: what.to_string(),
    };
    assert_eq!(client.completeness(), indexes("it may not have started"));
    tell(&client, json!({"what": "begin"}));
    assert_eq!(
        client.wait_until_ready(SHORT),
        indexes("Indexing 1/2 (50%)")
    );
    assert_eq!(
        client
            .ready_or_refuse(SHORT)
            .expect_err("the server is indexing")
            .situation,
        Situation::NotReady {
            completeness: indexes("Indexing 1/2 (50%)"),
            waited: SHORT,
        }
    );
    tell(&client, json!({"what": "end"}));
    assert_eq!(client.ready_or_refuse(LONG), Ok(Completeness::Complete));

    // A server that lacks a required file does not start to index.
    fixture.launch.limitation = Some("no compile_commands.json".to_string());
    let client = fixture.start();
    let why = "no compile_commands.json".to_string();
    assert_eq!(client.completeness(), Completeness::Degraded { why });
}

#[test]
fn a_server_with_an_idle_request_is_not_ready_before_it_is_idle() {
    let with_idle_request = |request: &'static str| {
        let mut fixture = Fixture::new("fine", &[]);
        fixture.launch.ready = ReadyRule::Progress {
            begins_within: Duration::ZERO,
            idle_request: Some(request),
        };
        fixture
    };
    let reads = Completeness::StillIndexing {
        what: "it is reading documents".to_string(),
    };
    let open = |client: &LspClient| {
        let document = json!({"uri": "file:///a", "languageId": "a", "version": 1, "text": ""});
        let sent = client.notify("textDocument/didOpen", json!({"textDocument": document}));
        sent.expect("it runs");
    };
    let fixture = with_idle_request("scripted/heard");
    let client = fixture.start();
    for _ in 0..2 {
        open(&client);
        assert_eq!(client.completeness(), reads);
        assert_eq!(client.wait_until_ready(LONG), Completeness::Complete);
        assert_eq!(client.completeness(), Completeness::Complete);
    }
    // It does not know the request.
    let fixture = with_idle_request("scripted/unknown");
    let client = fixture.start();
    open(&client);
    assert_eq!(client.wait_until_ready(LONG), Completeness::Complete);
    open(&client);
    assert_eq!(client.completeness(), Completeness::Complete);
    // It refuses the request or does not answer.
    for request in ["scripted/busy", "scripted/silence"] {
        let fixture = with_idle_request(request);
        let client = fixture.start();
        open(&client);
        assert_eq!(client.wait_until_ready(SHORT), reads, "{request}");
    }
}

#[test]
fn an_answer_reports_its_completeness() {
    let workspace = Workspace::new("fine", &[]);
    let server = workspace.server("a.py");
    let ask = |method: &str, params: Value| -> Completeness {
        let answer = server.ask::<Value>(method, params);
        answer.expect("it answers").completeness
    };
    let question = json!({"textDocument": {"uri": "file:///a"}});
    // A server that is not in the table may start reading later.
    let ready = server.client().wait_until_ready(LONG);
    assert_eq!(ready, Completeness::Complete);
    assert_eq!(ask(DEFINITION, question.clone()), Completeness::Complete);
    let indexes = |what: &str| Completeness::StillIndexing {
        what: what.to_string(),
    };
    // It starts indexing while it answers.
    let begins = ask("scripted/state", json!({"what": "begin"}));
    assert_eq!(begins, indexes("Indexing 1/2 (50%)"));
    assert_eq!(
        ask(DEFINITION, question.clone()),
        indexes("Indexing 1/2 (50%)")
    );
    // It finishes indexing while it answers.
    let ends = ask("scripted/state", json!({"what": "end"}));
    assert_eq!(ends, indexes("Indexing 1/2 (50%)"));
    // It was idle before this question.
    assert_eq!(ask(DEFINITION, question), Completeness::Complete);
}

#[test]
fn a_server_that_reads_files_later_is_ready_after_its_log_message() {
    let mut fixture = Fixture::new("fine", &[]);
    fixture.launch.ready = ReadyRule::Delayed {
        log_message: Some("source file"),
        within: NEVER,
    };
    let client = fixture.start();
    let what = "it may not have read all files".to_string();
    let indexes = Completeness::StillIndexing { what };
    let log = |message: &str| {
        tell(&client, json!({"what": "log", "message": message}));
        client.completeness()
    };
    assert_eq!(log("Loading"), indexes);
    assert_eq!(log("Found 3 source files"), Completeness::Complete);
    let change = |kind: u8| {
        let changes = json!([{"uri": "file:///a", "type": kind}]);
        let params = json!({ "changes": changes });
        let sent = client.notify("workspace/didChangeWatchedFiles", params);
        sent.expect("it runs");
        client.completeness()
    };
    // A changed file is read at once; a created one is not.
    assert_eq!(change(2), Completeness::Complete);
    assert_eq!(change(1), indexes);
    assert_eq!(log("Found 4 source files"), Completeness::Complete);

    fixture.launch.ready = ReadyRule::Delayed {
        log_message: None,
        within: SHORT,
    };
    let client = fixture.start();
    assert_eq!(client.wait_until_ready(LONG), Completeness::Complete);
}

#[test]
fn a_server_that_announces_its_configuration_is_not_ready_before() {
    let announces = |within: Duration| {
        let mut fixture = Fixture::new("fine", &[]);
        fixture.launch.ready = ReadyRule::Notification {
            requested_by: "scripted/supports",
            notification: "scripted/configured",
            within,
        };
        fixture
    };
    let why = "it has not read its configuration".to_string();
    let reads = Completeness::StillIndexing { what: why.clone() };
    let fixture = announces(NEVER);
    let client = fixture.start();
    assert_eq!(client.completeness(), reads);
    let received: Vec<(String, Value)> = client
        .ask("scripted/heard", Value::Null)
        .expect("the server answers");
    let asked = ("scripted/supports".to_string(), json!({}));
    assert!(received.contains(&asked), "{received:?}");
    tell(
        &client,
        json!({"what": "announce", "method": "scripted/configured"}),
    );
    assert_eq!(client.wait_until_ready(LONG), Completeness::Complete);

    // It never announces it.
    let fixture = announces(SHORT);
    let client = fixture.start();
    assert_eq!(client.completeness(), reads);
    assert_eq!(
        client.wait_until_ready(LONG),
        Completeness::Degraded { why }
    );
}

#[test]
fn a_project_check_counts_once_it_has_ended() {
    const CHECK: ProjectCheck = ProjectCheck {
        name: "make check",
        start: "scripted/check",
        token: "check/",
    };
    let mut fixture = Fixture::new("fine", &[]);
    fixture.launch.diagnostics.check = Some(CHECK);
    let client = fixture.start();
    let run = |since| client.run_check(CHECK, since, Instant::now() + 2 * SHORT);
    let progress = |kind: &str, token: &str| tell(&client, json!({"what": kind, "token": token}));
    let requested = || {
        let received: Vec<(String, Value)> = client
            .ask("scripted/heard", Value::Null)
            .expect("the server answers");
        let of_check = received.into_iter();
        let of_check = of_check.filter(|(method, _)| method == CHECK.start);
        of_check.count()
    };
    let runs = Completeness::StillIndexing {
        what: "`make check` is still running".to_string(),
    };
    let first = Instant::now();
    // The end of another run, which this client did not request.
    progress("begin", "check/0");
    assert_eq!(run(first), runs);
    progress("end", "check/0");
    assert_eq!((run(first), requested()), (runs.clone(), 1));
    // A project of two parts.
    progress("begin", "check/0");
    progress("begin", "check/1");
    progress("end", "check/0");
    assert_eq!((run(Instant::now()), requested()), (runs.clone(), 1));
    progress("end", "check/1");
    assert_eq!((run(first), requested()), (Completeness::Complete, 1));
    assert_eq!((run(first), requested()), (Completeness::Complete, 1));
    // A later question and another changed file each need another run.
    assert_eq!((run(Instant::now()), requested()), (runs.clone(), 2));
    progress("begin", "check/0");
    let changes = json!({"changes": [{"uri": "file:///a", "type": 2}]});
    let sent = client.notify("workspace/didChangeWatchedFiles", changes);
    sent.expect("it runs");
    assert_eq!((run(first), requested()), (runs.clone(), 3));
    progress("end", "check/0");
    progress("begin", "check/0");
    progress("end", "check/0");
    assert_eq!((run(first), requested()), (Completeness::Complete, 3));
    // The check does not start.
    let why = "`make check` did not start".to_string();
    let never = client.run_check(CHECK, Instant::now(), Instant::now() + LONG);
    assert_eq!(never, Completeness::Degraded { why });
}

#[test]
fn published_diagnostics_show_that_open_documents_were_read() {
    let mut fixture = Fixture::new("fine", &[]);
    fixture.launch.tracking = ChangeTracking::OpenDocuments;
    let client = fixture.start();
    let uri = uri_of(&fixture.path("a.c"));
    let tell = |method: &str, document: Value| {
        let sent = client.notify(
            method,
            json!({"textDocument": document, "contentChanges": []}),
        );
        sent.expect("it runs");
        client.completeness()
    };
    let diagnose = |version: i64| {
        let params = json!({"uri": uri, "version": version, "diagnostics": []});
        let sent: Value = client
            .ask("scripted/diagnostics", params)
            .expect("the server answers");
        (sent, client.completeness()).1
    };
    let what = "it is reading a.c".to_string();
    let reads = Completeness::StillIndexing { what };
    let document = json!({"uri": uri, "version": 1, "text": ""});
    assert_eq!(tell("textDocument/didOpen", document), reads);
    assert_eq!(diagnose(1), Completeness::Complete);
    let document = json!({"uri": uri, "version": 2});
    assert_eq!(tell("textDocument/didChange", document), reads);
    assert_eq!(diagnose(1), reads);
    assert_eq!(diagnose(2), Completeness::Complete);
}

#[test]
fn a_reported_status_determines_readiness() {
    let mut fixture = Fixture::new("fine", &[]);
    fixture.launch.ready = ReadyRule::ServerStatus;
    let client = fixture.start();
    let indexes = |what: &str| Completeness::StillIndexing {
        what: what.to_string(),
    };
    assert_eq!(
        client.completeness(),
        indexes("it has not reported its status")
    );
    let status = |health: &str, quiescent: bool, message: &str| {
        let status = json!({"health": health, "quiescent": quiescent, "message": message});
        tell(&client, json!({"what": "status", "status": status}));
        client.completeness()
    };
    assert_eq!(
        status("ok", false, ""),
        indexes("it is reading the project")
    );
    assert_eq!(status("ok", true, ""), Completeness::Complete);
    // It may do other work meanwhile.
    tell(&client, json!({"what": "begin"}));
    assert_eq!(client.completeness(), Completeness::Complete);
    let why = "build scripts failed".to_string();
    assert_eq!(
        status("warning", true, &why),
        Completeness::Degraded { why }
    );
}

/// A workspace with language servers; the one for Python is the scripted server.
struct Workspace {
    servers: Servers,
    directory: TempDir,
}

impl Workspace {
    fn new(mode: &str, settings: &[&str]) -> Workspace {
        Workspace::over(mode, settings, &[""], ServerLimits::default())
    }

    fn over(mode: &str, settings: &[&str], roots: &[&str], limits: ServerLimits) -> Workspace {
        let directory = TempDir::new().expect("a temporary directory can be created");
        let roots: Vec<Utf8PathBuf> = roots
            .iter()
            .map(|root| utf8(&directory).join(root))
            .collect();
        for root in &roots {
            fs::create_dir_all(root).expect("a root can be made");
        }
        let scripted = ServerConfiguration {
            command: Some(command(mode, settings)),
            enabled: true,
            ..ServerConfiguration::default()
        };
        let turned_off = ServerConfiguration {
            enabled: false,
            ..ServerConfiguration::default()
        };
        let configuration = Configuration::default()
            .with("python", scripted)
            .with("go", turned_off);
        let path = std::env::var_os("PATH").unwrap_or_default();
        Workspace {
            servers: Servers::new(roots, configuration, path, limits),
            directory,
        }
    }

    fn path(&self, name: &str) -> Utf8PathBuf {
        utf8(&self.directory).join(name)
    }

    fn server(&self, name: &str) -> Arc<LanguageServer> {
        let server = self.servers.for_language("python", &self.path(name));
        server.expect("the scripted server starts")
    }

    fn sync(&self, server: &LanguageServer, name: &str, text: &str) {
        let path = self.path(name);
        server
            .sync(
                &path,
                &source(text),
                [],
                |_| Some(source("of the disk")),
                by_name,
            )
            .expect("it runs");
    }

    /// Returns the text that the server has for a document.
    fn document_text(&self, server: &LanguageServer, name: &str) -> Option<String> {
        let params = json!({"uri": uri_of(&self.path(name))});
        server
            .client()
            .ask("scripted/text", params)
            .expect("the server answers")
    }
}

fn source(text: &str) -> Source {
    let python = language::of_path("a.py").expect("it is built in");
    Source::new("a.py", python, text.to_string())
}

/// Returns the language of a file by its name alone.
fn by_name(path: &Utf8Path) -> Option<&'static str> {
    language::of_path(path.as_str()).map(|language| language.name)
}

#[test]
fn a_document_has_the_text_that_was_sent_last() {
    let texts = [
        "a = 1\n",
        "a = 1\r\nb = 'é😀'\r\n",
        "a = 1\nb = 'é😀😀' + 1\r\n",
        "\u{feff}a = 1\nb = 'é😀' + 1\r\n",
        "",
        "x\ry\r\nz",
        "x\r\ny\nz",
    ];
    for settings in [
        &["encoding=utf-8"][..],
        &["encoding=utf-16"],
        &[],
        &["sync=1"],
    ] {
        let workspace = Workspace::new("fine", settings);
        let server = workspace.server("a.py");
        for text in texts {
            workspace.sync(&server, "a [1]+#%é.py", text);
            let document_text = workspace.document_text(&server, "a [1]+#%é.py");
            assert_eq!(
                document_text.as_deref(),
                Some(text.trim_start_matches('\u{feff}'))
            );
        }
    }
}

#[test]
fn a_document_has_any_text_that_was_sent() {
    for settings in ["encoding=utf-8", "encoding=utf-16"] {
        let workspace = Workspace::new("fine", &[settings]);
        let server = workspace.server("a.py");
        proptest!(ProptestConfig::with_cases(48), |(text in "[ab\r\n😀é]{0,12}")| {
            workspace.sync(&server, "a.py", &text);
            prop_assert_eq!(workspace.document_text(&server, "a.py"), Some(text));
        });
    }
}

#[test]
fn every_answer_reports_missing_build_files() {
    let mut workspace = Workspace::new("fine", &[]);
    let clangd = ServerConfiguration {
        command: Some(command("fine", &[])),
        enabled: true,
        ..ServerConfiguration::default()
    };
    let servers = |workspace: &Workspace| {
        let configuration = Configuration::default().with("cpp", clangd.clone());
        let path = std::env::var_os("PATH").unwrap_or_default();
        Servers::new(
            vec![workspace.path("")],
            configuration,
            path,
            ServerLimits::default(),
        )
    };
    workspace.servers = servers(&workspace);
    let completeness = |workspace: &Workspace| {
        let server = workspace
            .servers
            .for_language("c", &workspace.path("sub/a.c"));
        let server = server.expect("the scripted server starts");
        let answer = server.ask::<Value>("scripted/answers", Value::Null);
        answer.expect("the server answers").completeness
    };
    let why = "no compile_commands.json, no build/compile_commands.json";
    let why = why.to_string();
    assert_eq!(completeness(&workspace), Completeness::Degraded { why });
    fs::create_dir(workspace.path("build")).expect("the folder can be created");
    fs::write(workspace.path("build/compile_commands.json"), "[]")
        .expect("the file can be written");
    workspace.servers = servers(&workspace);
    let known = completeness(&workspace);
    assert!(!matches!(known, Completeness::Degraded { .. }), "{known}");
}

#[test]
fn a_server_that_cannot_notice_a_change_is_restarted() {
    let mut workspace = Workspace::new("fine", &[]);
    // By its name it has the rules of clangd.
    let program = workspace.path("clangd");
    std::os::unix::fs::symlink("/bin/sh", &program).expect("the link can be created");
    let words = command("fine", &[]).join("' '");
    let script = format!("exec '{words}'");
    let clangd = ServerConfiguration {
        command: Some(vec![program.to_string(), "-c".to_string(), script]),
        enabled: true,
        ..ServerConfiguration::default()
    };
    fs::write(workspace.path("compile_commands.json"), "[]").expect("the file can be written");
    let configuration = Configuration::default().with("c", clangd);
    let path = std::env::var_os("PATH").unwrap_or_default();
    workspace.servers = Servers::new(
        vec![workspace.path("")],
        configuration,
        path,
        ServerLimits::default(),
    );
    let asked = workspace.path("a.c");
    let ask = |names: &[&str]| {
        let server = workspace
            .servers
            .for_language("c", &asked)
            .expect("it starts");
        let stamp = Stamp {
            modified: SystemTime::UNIX_EPOCH,
            length: 1,
        };
        let disk = names.iter().map(|name| (workspace.path(name), stamp));
        let sent = server.sync(&asked, &source("int x;"), disk, |_| None, by_name);
        sent.expect("it runs");
        for path in server.open_paths() {
            let params = json!({"uri": uri_of(&path), "version": 1, "diagnostics": []});
            let sent: Result<Value, _> = server.client().ask("scripted/diagnostics", params);
            sent.expect("the server answers");
        }
        let completeness = server.wait_until_ready(LONG);
        (server.client().process_id(), completeness)
    };
    let (first, completeness) = ask(&["a.c", "b.c"]);
    assert_eq!(completeness, Completeness::Complete);
    let (same, completeness) = ask(&["a.c"]);
    let why = "it has not reread 1 changed files".to_string();
    assert_eq!(
        (same, completeness),
        (first, Completeness::Degraded { why })
    );
    let (other, completeness) = ask(&["a.c"]);
    assert_ne!(other, first);
    assert_eq!(completeness, Completeness::Complete);
    assert_gone(first);
}

#[test]
fn the_configuration_is_read_from_its_file() {
    let workspace = Workspace::new("fine", &[]);
    let path = workspace.path("config.toml");
    assert_eq!(Configuration::read(&path), Ok(Configuration::default()));
    fs::write(&path, "[servers.rust]\nenabled = false\n").expect("the file can be written");
    let disabled = ServerConfiguration {
        enabled: false,
        ..ServerConfiguration::default()
    };
    let expected = Configuration::default().with("rust", disabled);
    assert_eq!(Configuration::read(&path), Ok(expected));
    fs::write(&path, "\n[servers.rust]\nenable = true\n").expect("the file can be written");
    let error = Configuration::read(&path).expect_err("it is wrong");
    assert_eq!((error.path, error.line), (path, 3));
}

#[test]
fn columns_use_the_encoding_of_the_server() {
    let text = source("s = '😀é'; t");
    let t = text.text().find('t').expect("it exists");
    for (settings, encoding, column) in [
        (&["encoding=utf-8"][..], Encoding::Utf8, 14),
        (&["encoding=utf-16"], Encoding::Utf16, 11),
        (&[], Encoding::Utf16, 11),
    ] {
        let workspace = Workspace::new("fine", settings);
        let negotiated = workspace.server("a.py").client().encoding();
        assert_eq!(negotiated, encoding);
        let place = EncodedPosition { line: 0, column };
        assert_eq!(text.encoded_position(t, negotiated), place);
        assert_eq!(text.encoded_offset(place, negotiated), t);
    }
    let character = 11;
    assert_eq!(text.position(t), Position { line: 1, character });
}

#[test]
fn changes_on_disk_are_reported_to_the_server() {
    let workspace = Workspace::new("fine", &[]);
    let server = workspace.server("a.py");
    let stamp = |length| Stamp {
        modified: SystemTime::UNIX_EPOCH,
        length,
    };
    let sync = |files: &[(&str, u64)]| {
        let disk = files.iter();
        let disk = disk.map(|(name, length)| (workspace.path(name), stamp(*length)));
        let read = |path: &Utf8Path| (!path.ends_with("gone.py")).then(|| source("of the disk"));
        let asked = source("asked");
        let sent = server.sync(&workspace.path("a.py"), &asked, disk, read, by_name);
        sent.expect("it runs");
    };
    let sent = || {
        let received: Vec<(String, Value)> = server
            .client()
            .ask("scripted/heard", Value::Null)
            .expect("the server answers");
        let watched = received.into_iter();
        let watched = watched.filter(|(method, _)| method == "workspace/didChangeWatchedFiles");
        let changes = watched.flat_map(|(_, params)| params["changes"].as_array().cloned());
        let one = |change: &Value| {
            let uri = change["uri"].as_str().unwrap_or_default();
            let (_, name) = uri.rsplit_once('/').unwrap_or_default();
            format!("{name}={}", change["type"])
        };
        changes
            .flatten()
            .map(|change| one(&change))
            .collect::<Vec<_>>()
    };
    let names = [
        "a.py", "open.py", "gone.py", "b.py", "c.py", "note.txt", "x.custom",
    ];
    for name in ["open.py", "gone.py"] {
        let disk = names.map(|name| (workspace.path(name), stamp(1)));
        let opened = server.sync(
            &workspace.path(name),
            &source("before"),
            disk,
            |_| None,
            by_name,
        );
        opened.expect("it runs");
    }
    sync(&names.map(|name| (name, 1)));
    assert_eq!(sent(), [] as [&str; 0]);
    let after = [
        ("a.py", 2),
        ("open.py", 2),
        ("b.py", 2),
        ("note.txt", 2),
        ("x.custom", 2),
        ("d.py", 1),
    ];
    sync(&after);
    assert_eq!(sent(), ["b.py=2", "c.py=3", "d.py=1", "gone.py=3"]);
    assert_eq!(
        workspace.document_text(&server, "open.py").as_deref(),
        Some("of the disk")
    );
    assert_eq!(workspace.document_text(&server, "gone.py"), None);
    // It registers for more files.
    let patterns = json!({"patterns": ["**/*.custom"]});
    let asked: Value = server
        .client()
        .ask("scripted/watch", patterns)
        .expect("it registers");
    assert_eq!(asked, Value::Null);
    sync(&after.map(|(name, _)| (name, 3)));
    assert_eq!(sent()[4..], ["b.py=2", "d.py=2", "x.custom=2"]);
}

#[test]
fn a_restarted_server_has_its_documents_again() {
    let workspace = Workspace::new("dies_at_second", &[]);
    let first = workspace.server("a.py");
    workspace.sync(&first, "a.py", "a");
    workspace.sync(&first, "b.py", "b");
    let ask = |server: &LanguageServer| -> Result<Value, ServerError> {
        let params = json!({"textDocument": {"uri": "file:///a"}});
        server.client().ask(DEFINITION, params)
    };
    ask(&first).expect("the first question is answered");
    let error = ask(&first).expect_err("the server crashes");
    assert!(
        matches!(error.situation, Situation::Crashed { .. }),
        "{error}"
    );
    let second = workspace.server("a.py");
    assert_ne!(first.client().process_id(), second.client().process_id());
    workspace.sync(&second, "a.py", "a new");
    assert_eq!(
        workspace.document_text(&second, "a.py").as_deref(),
        Some("a new")
    );
    assert_eq!(
        workspace.document_text(&second, "b.py").as_deref(),
        Some("of the disk")
    );
}

#[test]
fn a_crashed_server_is_not_restarted_too_soon() {
    let limits = ServerLimits {
        restart_after: vec![NEVER],
        ..ServerLimits::default()
    };
    let workspace = Workspace::over("dies_at_second", &[], &[""], limits.clone());
    let server = workspace.server("a.py");
    for _ in 0..2 {
        // Other tests cover these answers.
        drop(
            server
                .client()
                .ask::<Value>(DEFINITION, json!({"textDocument": {"uri": "file:///a"}})),
        );
    }
    let error = workspace
        .servers
        .for_language("python", &workspace.path("a.py"));
    let error = error.expect_err("it is too soon");
    let Situation::Crashed { how, retry_in } = &error.situation else {
        panic!("{error}");
    };
    assert_eq!(how, "exit status: 3");
    assert!(retry_in.is_some_and(|left| left > Duration::ZERO && left <= NEVER));
    assert_eq!(error.tail, "panicked at the second question\n");

    let workspace = Workspace::over("ends_at_start", &[], &[""], limits);
    for _ in 0..2 {
        let error = workspace
            .servers
            .for_language("python", &workspace.path("a.py"));
        let error = error.expect_err("it does not start");
        let why = "exited: exit status: 1".to_string();
        assert_eq!(error.situation, Situation::HandshakeFailed { why });
    }
}

#[test]
fn concurrent_questions_start_one_server() {
    let workspace = Workspace::new("fine", &[]);
    let ids = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| workspace.server("a.py").client().process_id()))
            .collect();
        let ids = asking
            .into_iter()
            .map(|one| one.join().expect("no thread panics"));
        ids.collect::<std::collections::BTreeSet<_>>()
    });
    assert_eq!(ids.len(), 1);
    let running = workspace.servers.availability().into_iter();
    let running = running.flat_map(|row| row.running).collect::<Vec<_>>();
    assert_eq!(running, Vec::from_iter(ids));
}

#[test]
fn a_hanging_start_blocks_no_other_language() {
    let limits = ServerLimits::default();
    let mut workspace = Workspace::over("slow_start", &[], &[""], limits.clone());
    let scripted = |mode| ServerConfiguration {
        command: Some(command(mode, &[])),
        enabled: true,
        start_seconds: Some(LONG.as_secs_f64()),
        ..ServerConfiguration::default()
    };
    let configuration = Configuration::default()
        .with("python", scripted("slow_start"))
        .with("css", scripted("fine"));
    let path: OsString = std::env::var_os("PATH").unwrap_or_default();
    workspace.servers = Servers::new(vec![workspace.path("")], configuration, path, limits);
    std::thread::scope(|scope| {
        let hanging = scope.spawn(|| {
            workspace
                .servers
                .for_language("python", &workspace.path("a.py"))
                .map(|_| ())
        });
        let other = workspace
            .servers
            .for_language("css", &workspace.path("a.css"));
        other.expect("it starts meanwhile");
        // Ends the hanging one too, before its time.
        workspace.servers.stop();
        let error = hanging.join().expect("it does not panic");
        let error = error.expect_err("the server was stopped");
        assert!(
            matches!(
                error.situation,
                Situation::HandshakeFailed { .. } | Situation::Crashed { .. }
            ),
            "{error}"
        );
    });
}

#[test]
fn a_server_that_cannot_start_is_reported_with_the_reason() {
    let workspace = Workspace::new("fine", &[]);
    let missing = |language: &str| {
        let server = workspace
            .servers
            .for_language(language, &workspace.path("a"));
        match server.map(|_| ()).expect_err("it does not exist").situation {
            Situation::NotInstalled { why } => why,
            other => panic!("{other}"),
        }
    };
    assert_eq!(missing("text"), Missing::NoServer);
    assert_eq!(missing("go"), Missing::Disabled);
    let nowhere = Servers::new(
        vec![workspace.path("")],
        Configuration::default(),
        OsString::from("relative:/nowhere"),
        ServerLimits::default(),
    );
    let error = nowhere
        .for_language("rust", &workspace.path("a.rs"))
        .map(|_| ());
    let error = error.expect_err("nothing is on the path");
    assert_eq!(error.command, ["rust-analyzer"]);
    assert_eq!(
        error.situation,
        Situation::NotInstalled {
            why: Missing::NotOnPath {
                programs: vec!["rust-analyzer".to_string()],
                install: "rustup component add rust-analyzer rust-src".to_string(),
            }
        }
    );
}

#[test]
fn a_project_chooses_among_the_built_in_programs() {
    let workspace = Workspace::new("fine", &[]);
    let tried = |configuration: Configuration, language: &str, program: &str| {
        let chosen = [(language.to_string(), program.to_string())].into();
        let servers = Servers::new(
            vec![workspace.path("")],
            configuration.with_chosen(chosen),
            OsString::from("/nowhere"),
            ServerLimits::default(),
        );
        let error = servers
            .for_language("tsx", &workspace.path("a.tsx"))
            .map(|_| ());
        match error.expect_err("nothing is on the path").situation {
            Situation::NotInstalled { why } => why,
            other => panic!("{other}"),
        }
    };
    let not_on_path = |programs: &[&str], install: &str| Missing::NotOnPath {
        programs: programs.iter().map(|name| name.to_string()).collect(),
        install: install.to_string(),
    };
    let default = Configuration::default;
    let other = "typescript-language-server";
    let npm = "npm install -g typescript-language-server@5 typescript@5";
    assert_eq!(
        tried(default(), "javascript", other),
        not_on_path(&[other], npm)
    );
    assert_eq!(
        tried(default(), "typescript", "deno"),
        Missing::NotBuiltIn {
            program: "deno".to_string(),
            built_in: vec!["tsc".to_string(), other.to_string()],
        }
    );
    let own = ServerConfiguration {
        command: Some(vec!["mine".to_string()]),
        ..ServerConfiguration::default()
    };
    let configured = default().with("typescript", own);
    assert_eq!(
        tried(configured, "typescript", other),
        not_on_path(&["mine"], "")
    );
    let another_language = tried(default(), "python", "pyrefly");
    assert!(matches!(another_language, Missing::NotOnPath { programs, .. } if programs.len() == 2));
}

#[test]
fn a_server_with_workspace_folders_serves_all_roots() {
    let ids = |settings: &[&str]| {
        let workspace = Workspace::over("fine", settings, &["one", "two"], ServerLimits::default());
        let ids = ["one/a.py", "two/a.py", "one/b.py"]
            .map(|name| workspace.server(name).client().process_id());
        let root = |name: &str| workspace.server(name).client().launch().roots[0].clone();
        assert_eq!(root("one/a.py"), workspace.path("one"));
        let folders: Vec<(String, Value)> = {
            let server = workspace.server("two/a.py");
            server
                .client()
                .ask("scripted/heard", Value::Null)
                .expect("the server answers")
        };
        let folders = folders[0].1["workspaceFolders"].as_array().map(Vec::len);
        assert_eq!(folders, Some(2));
        ids
    };
    let [one, two, again] = ids(&["folders=yes"]);
    assert_eq!((one, two), (two, again));
    let [one, two, again] = ids(&[]);
    assert_eq!(one, again);
    assert_ne!(one, two);
}

#[test]
fn an_idle_server_is_stopped() {
    let limits = ServerLimits {
        idle: Duration::ZERO,
        ..ServerLimits::default()
    };
    let workspace = Workspace::over("fine", &[], &[""], limits);
    let held = workspace.server("a.py");
    let group = held.client().process_id();
    let ask_another = || {
        let other = workspace
            .servers
            .for_language("text", &workspace.path("a.txt"));
        other.map(|_| ()).expect_err("no server reads plain text");
    };
    // It is in use, and who asks it again gets it.
    ask_another();
    assert_eq!(workspace.server("a.py").client().process_id(), group);
    drop(held);
    ask_another();
    assert_gone(group);
}

#[test]
fn all_servers_stop_with_the_workspace() {
    let workspace = Workspace::new("fine", &[]);
    let server = workspace.server("a.py");
    let group = server.client().process_id();
    drop(workspace);
    assert_gone(group);
    assert!(!server.client().is_alive());
}

/// Returns the messages of a document's diagnostics, and whether they are current.
fn messages(server: &LanguageServer, path: &Utf8Path, within: Duration) -> (Vec<Value>, bool) {
    let wait = DiagnosticsWait {
        since: Instant::now(),
        ready_until: Instant::now() + LONG,
        answer_within: within,
        runs_check: true,
    };
    let found = server.diagnostics(path, wait).expect("it runs");
    let text = |item: &Diagnostic| serde_json::to_value(&item.message).expect("a text");
    let messages = found.items.iter().map(text);
    (messages.collect(), found.is_current)
}

#[test]
fn diagnostics_of_a_partly_read_project_are_not_current() {
    // An unknown program may begin to read within half a second.
    for early in ["versioned", "bare"] {
        let workspace = Workspace::new("fine", &[&format!("early={early}")]);
        let (server, path) = (workspace.server("a.py"), workspace.path("a.py"));
        workspace.sync(&server, "a.py", "one");
        let of_second = (vec![json!("of version 2")], true);
        assert_eq!(messages(&server, &path, LONG), of_second, "{early}");
        // It is not sent once more.
        assert_eq!(messages(&server, &path, LONG), of_second, "{early}");
    }
}

#[test]
fn diagnostics_of_an_interrupted_check_are_not_current() {
    let directory = TempDir::new().expect("a temporary directory can be created");
    let scripted = ServerConfiguration {
        // The rules of a server are those of a program that its command names.
        command: Some(command("gopls", &["early=bare"])),
        enabled: true,
        ..ServerConfiguration::default()
    };
    let configuration = Configuration::default().with("go", scripted);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let roots = vec![utf8(&directory)];
    let servers = Servers::new(roots, configuration, path, ServerLimits::default());
    let path = utf8(&directory).join("a.go");
    let server = servers
        .for_language("go", &path)
        .expect("the scripted server starts");
    let synced = server.sync(&path, &source("one"), [], |_| None, by_name);
    synced.expect("it runs");
    assert_eq!(server.wait_until_ready(LONG), Completeness::Complete);
    let params = json!({"uri": uri_of(&path), "diagnostics": []});
    let sent: Value = server
        .client()
        .ask("scripted/diagnostics", params)
        .expect("the server answers");
    assert_eq!(sent, Value::Null);
    let of_second = (vec![json!("of version 2")], true);
    assert_eq!(messages(&server, &path, LONG), of_second);
}

#[test]
fn diagnostics_are_of_the_text_that_was_sent_last() {
    let workspace = Workspace::new("fine", &["pulls=yes"]);
    let (server, path) = (workspace.server("a.py"), workspace.path("a.py"));
    for text in ["one", "two"] {
        workspace.sync(&server, "a.py", text);
        assert_eq!(messages(&server, &path, LONG), (vec![json!(text)], true));
    }
    let workspace = Workspace::new("fine", &[]);
    let (server, path) = (workspace.server("a.py"), workspace.path("a.py"));
    let push = |version: Value, message: &str| {
        let place = json!({"line": 0, "character": 0});
        let item = json!({"range": {"start": place, "end": place}, "message": message});
        let params = json!({"uri": uri_of(&path), "version": version, "diagnostics": [item]});
        let sent: Value = server
            .client()
            .ask("scripted/diagnostics", params)
            .expect("the server answers");
        assert_eq!(sent, Value::Null);
    };
    workspace.sync(&server, "a.py", "one");
    assert_eq!(messages(&server, &path, SHORT), (vec![], false));
    push(json!(1), "of one");
    assert_eq!(
        messages(&server, &path, LONG),
        (vec![json!("of one")], true)
    );
    workspace.sync(&server, "a.py", "two");
    push(json!(1), "of one");
    assert_eq!(
        messages(&server, &path, SHORT),
        (vec![json!("of one")], false)
    );
    push(json!(2), "of two");
    assert_eq!(
        messages(&server, &path, LONG),
        (vec![json!("of two")], true)
    );
    workspace.sync(&server, "a.py", "three");
    push(Value::Null, "of any");
    assert_eq!(
        messages(&server, &path, LONG),
        (vec![json!("of any")], true)
    );
}
