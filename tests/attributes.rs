//! Extended attributes and access control lists of files that are edited, moved, deleted and restored.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests create files, read the results and print what they cannot try"
)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::support::Bench;

const TEXT: &str = "fn a() {}\n\nfn b() {}\n";
const LIST: &str = "system.posix_acl_access";
const LIST_OF_FOLDER: &str = "system.posix_acl_default";
/// A user of the lists, and the user of the test that the superuser runs.
const OTHER: u32 = 65_534;

/// Returns an access control list as Linux stores it: the owner and another user have these permissions, the group and
/// all others none.
fn list(owner: u16, other: u16) -> Vec<u8> {
    const NONE: u32 = u32::MAX;
    let entries: [(u16, u16, u32); 5] = [
        (0x01, owner, NONE),
        (0x02, other, OTHER),
        (0x04, 0, NONE),
        (0x10, other, NONE),
        (0x20, 0, NONE),
    ];
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(permissions.to_le_bytes());
        bytes.extend(id.to_le_bytes());
    }
    bytes
}

/// Sets an attribute. Returns false, and prints that the test is skipped, if the file system or this user cannot have it.
fn is_set(path: &Path, name: &str, value: &[u8]) -> bool {
    use std::io::ErrorKind;
    match xattr::set(path, name, value) {
        Ok(()) => true,
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::Unsupported | ErrorKind::PermissionDenied
            ) =>
        {
            println!("skipped: {name} of a file in {}: {error}", path.display());
            false
        }
        Err(error) => panic!("{name}: {error}"),
    }
}

/// Returns the attributes of a file, and its mode.
fn attributes(path: &Path) -> (Vec<(String, Vec<u8>)>, u32) {
    let names = xattr::list(path).expect("it is there");
    let mut all: Vec<(String, Vec<u8>)> = names
        .filter_map(|name| {
            let value = xattr::get(path, &name).expect("it is there")?;
            Some((name.to_string_lossy().into_owned(), value))
        })
        .collect();
    all.sort();
    (
        all,
        fs::metadata(path).expect("it is there").mode() & 0o7777,
    )
}

#[test]
fn attributes_are_kept_and_restored() {
    let bench = Bench::with("from.rs", TEXT);
    let path = |name: &str| bench.root().join(name);
    for (name, value) in [
        ("user.treegraft", &b"any bytes: \xff\0"[..]),
        ("user.empty", b""),
        (LIST, &list(6, 4)),
    ] {
        if !is_set(&path("from.rs"), name, value) {
            return;
        }
    }
    let before = attributes(&path("from.rs"));
    assert_eq!((before.0.len(), before.1), (3, 0o640));
    let done = |tool: &str, arguments| {
        let engine = bench.another_engine();
        let answered = engine.call(tool, arguments);
        answered
            .unwrap_or_else(|refusal| panic!("{}", refusal.text()))
            .json
    };
    let edit = |edit| done("edit_nodes", json!({"apply": true, "edits": [edit]}));
    let edited = edit(json!({"file_path": "from.rs", "find": "fn a", "new_content": "fn c"}));
    assert_eq!(edited["notes"], json!([]), "{edited}");
    assert_eq!(attributes(&path("from.rs")), before);
    done("undo_edit", json!({"edit_id": edited["edit_id"]}));
    assert_eq!(attributes(&path("from.rs")), before);
    let moved = edit(json!({"op": "move_file", "file_path": "from.rs", "to": "x/to.rs"}));
    assert_eq!(attributes(&path("x/to.rs")), before);
    done("undo_edit", json!({"edit_id": moved["edit_id"]}));
    assert_eq!(attributes(&path("from.rs")), before);
    let deleted = edit(json!({"op": "delete_file", "file_path": "from.rs"}));
    assert!(!path("from.rs").exists());
    done("undo_edit", json!({"edit_id": deleted["edit_id"]}));
    assert_eq!(attributes(&path("from.rs")), before);
    assert_eq!(bench.read("from.rs"), TEXT.as_bytes());
}

/// In a directory with a default list, every new file has an access control list, also the temporary one of an edit.
#[test]
fn a_file_gets_no_access_control_list_from_its_directory() {
    let bench = Bench::with("a.rs", TEXT);
    let path = |name: &str| bench.root().join(name);
    let mode = fs::Permissions::from_mode(0o660);
    fs::set_permissions(path("a.rs"), mode).expect("it is ours");
    if !is_set(bench.root(), LIST_OF_FOLDER, &list(7, 7)) {
        return;
    }
    let before = attributes(&path("a.rs"));
    assert_eq!(before, (Vec::new(), 0o660));
    let arguments =
        json!({"apply": true, "file_path": "a.rs", "find": "fn a", "new_content": "fn c"});
    let edited = bench
        .call("replace_text", arguments)
        .map_err(|refusal| refusal.text());
    edited.expect("it can be written");
    assert_eq!(attributes(&path("a.rs")), before);
    // As with any other program.
    let arguments = json!({
        "apply": true, "edits": [{"op": "create_file", "file_path": "new.rs", "new_content": TEXT}],
    });
    let created = bench
        .call("edit_nodes", arguments)
        .map_err(|refusal| refusal.text());
    created.expect("it can be written");
    fs::write(path("usual.rs"), TEXT).expect("it can be written");
    assert_eq!(attributes(&path("new.rs")), attributes(&path("usual.rs")));
    assert_ne!(attributes(&path("new.rs")).0, Vec::new());
}

/// Only the superuser may set such an attribute. The edit is made, and the answer says what is lost.
#[test]
fn an_attribute_that_cannot_be_kept_is_noted() {
    const NAME: &str = "security.treegraft";
    let folder = tempfile::tempdir().expect("a temporary directory can be created");
    let root = folder.path().join("workspace");
    fs::create_dir(&root).expect("it can be created");
    let file = root.join("a.rs");
    fs::write(&file, TEXT).expect("it can be written");
    if !is_set(&file, NAME, b"of the system") || !is_set(&file, "user.treegraft", b"of the user") {
        return;
    }
    // Kept, since it is the superuser who edits.
    let edit = |command: &mut Command, find: &str, new: &str| {
        let output = command
            .args(["text", find, new, "a.rs", "--apply"])
            .current_dir(&root)
            .env("XDG_STATE_HOME", folder.path().join("state"))
            .env("XDG_CONFIG_HOME", folder.path().join("config"))
            .output();
        let output = output.expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{text}{errors}");
        text
    };
    let program = env!("CARGO_BIN_EXE_treegraft");
    let text = edit(&mut Command::new(program), "fn a()", "fn c()");
    assert!(!text.contains("extended attributes"), "{text}");
    assert_eq!(attributes(&file).0.len(), 2);
    fs::remove_dir_all(folder.path().join("state")).expect("it is there");
    for path in [folder.path(), &root, &file] {
        std::os::unix::fs::chown(path, Some(OTHER), Some(OTHER)).expect("the superuser may");
    }
    let user = OTHER.to_string();
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid", &user, "--regid", &user, "--clear-groups", "--"])
        .arg(program);
    let version = Command::new("setpriv")
        .args(["--reuid", &user, "--regid", &user, "--clear-groups", "--"])
        .args([program, "--version"])
        .output();
    if !version.is_ok_and(|output| output.status.success()) {
        println!("skipped: an edit of another user; setpriv cannot run the program as {user}");
        return;
    }
    let text = edit(&mut command, "fn b()", "fn d()");
    let note = format!(
        "`a.rs` has lost extended attributes that the system does not let this user set: `{NAME}`"
    );
    assert!(text.contains(&note), "{text}");
    let left = vec![("user.treegraft".to_string(), b"of the user".to_vec())];
    assert_eq!(attributes(&file).0, left);
    assert_eq!(
        fs::read_to_string(&file).expect("it is there"),
        "fn c() {}\n\nfn d() {}\n"
    );
}
