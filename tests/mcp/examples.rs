//! The example in each tool's description is a call that works.

use super::*;

const SERVER: &str = "\
pub struct Server;

impl Server {
    fn handle(&self, request: Request) -> Response {
        let reply = match request.method {
            Method::POST => self.take(request),
            _ => self.other(request),
        };
        send(reply);
        let response = connect(timeout(30));
        return response;
    }
}

fn main() {}

fn helper() {}
";
const OTHER: &str = "fn new() {\n    connect(timeout(30));\n}\n\nfn old() {}\n";
const PACKAGE: &str = "{\n  \"dependencies\": {\n    \"left-pad\": \"1.0.0\",\n    \"right-pad\": \"1.0.0\"\n  }\n}\n";
/// The edit id in the examples.
const NAMED: &str = "edbde52b9d658";

/// Starts a server over the files that the examples name, in their initial state.
fn over_files(options: &[&str]) -> Server {
    let mut server = Server::with(options);
    server.initialize("2025-06-18");
    let root = server.directory.path().join("workspace");
    std::fs::create_dir(root.join("src")).expect("the folder can be created");
    let long = format!("{SERVER}\n{}", "fn more() {}\n".repeat(30));
    for (path, text) in [
        ("src/server.rs", long.as_str()),
        ("src/a.rs", OTHER),
        ("package.json", PACKAGE),
    ] {
        std::fs::write(root.join(path), text).expect("the file can be written");
    }
    server
}

/// Stages an edit at a place that no example uses, and returns its id.
fn waiting(server: &mut Server) -> String {
    let arguments = json!({
        "file_path": "src/server.rs", "selector": "match_arm@_ =>",
        "new_content": "Method::PUT => self.put(request),",
    });
    let preview = server.call("replace_node", arguments);
    let edit_id = preview["structuredContent"]["edit_id"].as_str();
    edit_id.expect("a preview has an id").to_string()
}

#[test]
fn the_example_of_each_tool_is_accepted() {
    let listed = |options: &[&str]| {
        let listed = over_files(options).request("tools/list", json!({}));
        listed["result"]["tools"]
            .as_array()
            .expect("a list")
            .clone()
    };
    // `edit_nodes` has another example in the default list.
    let tools = [listed(&[]), listed(&["--tools", super::ALL])].concat();
    assert!(tools.len() >= 22);
    for tool in tools {
        let name = tool["name"].as_str().expect("a name");
        let described = tool["description"].as_str().expect("a description");
        let (_, example) = described.split_once("Example: ").expect("an example");
        let mut server = over_files(&[]);
        let edit_id = waiting(&mut server);
        if name == "undo_edit" {
            server.call("apply_edit", json!({"edit_id": edit_id}));
        }
        // Another example already inserts the content that it is amended with.
        let example = example
            .replace(NAMED, &edit_id)
            .replace("Method::PUT", "Method::POST");
        let arguments =
            serde_json::from_str(&example).unwrap_or_else(|error| panic!("{example}: {error}"));
        let answer = server.call(name, arguments);
        assert_eq!(
            answer["isError"],
            false,
            "{name} {example}: {}",
            text(&answer)
        );
        let found = &answer["structuredContent"];
        for list in ["matches", "files"] {
            assert_ne!(found[list], json!([]), "{name} finds something");
        }
    }
}
