//! The servers for Vue, Svelte and Astro components that import from TypeScript: each question once.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::projects::{Installer, texts};
use super::{LONG, Workspace, command, group, project};
use crate::support::call;
use crate::tools;

const FILES: &[(&str, &str)] = &[
    (
        "tsconfig.json",
        r#"{"compilerOptions": {"target": "es2022", "module": "esnext", "moduleResolution": "bundler", "strict": true, "noEmit": true}, "include": ["src"]}"#,
    ),
    (
        "src/prices.ts",
        "/** Returns the price with all taxes. */\nexport function price(item: string): number {\n  return item.length;\n}\n",
    ),
    (
        "src/bill.ts",
        "import { price } from \"./prices\";\n\nexport const first = price(\"tea\");\n",
    ),
    (
        "src/other.ts",
        "export const price = 1;\nexport const twice = price * 2;\n",
    ),
];

const SVELTE: &str = "<script lang=\"ts\">\n  import { price } from \"./prices\";\n\n  const total: string = price(\"tea\");\n\
                      </script>\n\n<p>{price(\"milk\")} and {total}</p>\n";
const ASTRO: &str = "---\nimport { price } from \"./prices\";\n\nconst total: string = price(\"tea\");\n---\n\
                     <p>{price(\"milk\")} and {total}</p>\n";

const VUE: &str = "<script setup lang=\"ts\">\nimport { price } from \"./prices\";\n\nconst total: string = price(\"tea\");\n\
                   </script>\n\n<template>\n  <p>{{ price(\"milk\") }} and {{ total }}</p>\n</template>\n";

/// A server for components.
struct Component {
    language: &'static str,
    program: &'static str,
    file: &'static str,
    text: &'static str,
    /// Whether a rename of an import also changes the files that do not contain it.
    renames_everywhere: bool,
}

impl Component {
    /// Returns the command of the server.
    fn command(&self) -> Vec<String> {
        let node = command(&project("TypeScript").program()).remove(0);
        let program = installed().join(".bin").join(self.program);
        assert!(
            program.is_file(),
            "{} is not installed: `bash tests/all.sh` installs it",
            self.program
        );
        vec![
            node,
            program.to_string_lossy().into_owned(),
            "--stdio".to_string(),
        ]
    }

    fn lay_out(&self, root: &Path) {
        for (file, text) in FILES.iter().chain([&(self.file, self.text)]) {
            let path = root.join(file);
            let folder = path.parent().expect("the path has a parent");
            std::fs::create_dir_all(folder).expect("the folder can be created");
            std::fs::write(path, text).expect("the file can be written");
        }
        // The servers use the TypeScript of the project.
        std::os::unix::fs::symlink(installed(), root.join("node_modules"))
            .expect("the link can be created");
    }

    /// Asks until the answer contains `expected`, which is at once unless the server still reads the project.
    fn ask(
        &self,
        workspace: &Workspace,
        tool: &str,
        arguments: &Value,
        expected: &[&str],
    ) -> Value {
        let deadline = Instant::now() + LONG;
        loop {
            let answer = workspace.call(tool, arguments.clone());
            let answer = answer.unwrap_or_else(|refusal| panic!("{}: {refusal:#}", self.program));
            let text = answer.to_string();
            if expected.iter().all(|words| text.contains(words)) {
                return answer;
            }
            let is_complete = answer["completeness"] == "complete";
            assert!(
                !is_complete && Instant::now() < deadline,
                "{} {tool}: {answer:#}",
                self.program
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Asks for the references until there are this many, which is at once unless the server still reads the project.
    fn await_references(&self, workspace: &Workspace, place: &Value, count: usize) {
        let deadline = Instant::now() + LONG;
        loop {
            let answer = workspace.call("find_references", place.clone());
            let answer = answer.unwrap_or_else(|refusal| panic!("{}: {refusal:#}", self.program));
            let found = answer["references"].as_array().map_or(0, Vec::len);
            if found == count {
                return;
            }
            let is_complete = answer["completeness"] == "complete";
            assert!(
                !is_complete && Instant::now() < deadline,
                "{}: {count} references expected: {answer:#}",
                self.program
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Checks the references after other programs changed, added and removed files, and after the server was killed.
    fn check_changes(&self, workspace: &Workspace, place: &Value) {
        const USE: &str =
            "import { price } from \"./prices\";\n\nexport const more = price(\"more\");\n";
        let path = |file: &str| workspace.root.join(file);
        workspace.write("src/more.ts", USE);
        self.await_references(workspace, place, 8);
        let text = std::fs::read_to_string(path(self.file)).expect("the file can be read");
        let used_again = text.replace("{price(\"milk\")", "{price(\"milk\") + price(\"sugar\")");
        let used_again =
            used_again.replace("{ price(\"milk\")", "{ price(\"milk\") + price(\"sugar\")");
        assert_ne!(text, used_again);
        workspace.write(self.file, &used_again);
        self.await_references(workspace, place, 9);
        let servers = workspace.engine.language_servers();
        let mut servers = servers.expect("it has language servers").into_iter();
        let own = servers.find(|one| one.languages.contains(&self.language));
        for leader in own.expect("it has a row").running {
            let signal = rustix::process::Signal::KILL;
            rustix::process::kill_process_group(group(leader), signal).expect("it runs");
        }
        workspace.write(self.file, &text);
        self.await_references(workspace, place, 8);
        std::fs::remove_file(path("src/more.ts")).expect("the file can be removed");
        self.await_references(workspace, place, 6);
    }

    fn drive(&self) {
        let typescript = project("TypeScript");
        assert_eq!(typescript.program().from, Installer::Node);
        let servers = [
            (self.language, self.command()),
            (typescript.language, command(&typescript.program())),
        ];
        let workspace = Workspace::with(&servers, |root| self.lay_out(root));
        let before = sources(&workspace.root);
        let in_component = json!({"locate": format!("{}@{{<|>price", self.file)});
        let places: Vec<String> = ["src/prices.ts", "src/bill.ts", self.file]
            .map(|file| format!("\"file\":\"{file}\""))
            .to_vec();
        let [of_definition, of_use, of_component] = [0, 1, 2].map(|index| places[index].as_str());
        self.ask(
            &workspace,
            "goto_definition",
            &in_component,
            &[of_definition],
        );
        self.ask(&workspace, "hover", &in_component, &["with all taxes"]);
        let all = [of_definition, of_use, of_component];
        self.ask(&workspace, "find_references", &in_component, &all);
        self.await_references(&workspace, &in_component, 6);
        let query = json!({"query": "price"});
        self.ask(&workspace, "workspace_symbols", &query, &[of_definition]);
        let path = json!({"path": self.file});
        let wrong = ["not assignable to type 'string'"];
        self.ask(&workspace, "diagnostics", &path, &wrong);
        self.check_changes(&workspace, &in_component);
        // Another component imports the name too; only a server for its language reads it.
        self.check_rename(&workspace, &in_component, &before);
        self.check_rename_of_definition(&workspace);
    }

    /// Checks a rename of the import in the component.
    fn check_rename(
        &self,
        workspace: &Workspace,
        place: &Value,
        before: &std::collections::BTreeMap<String, String>,
    ) {
        let import = "import { price }";
        for complete in [false, true] {
            let mut arguments = place.clone();
            arguments["new_name"] = json!("cost");
            arguments["complete"] = json!(complete);
            let made = workspace.call("rename_symbol", arguments);
            let made = made.unwrap_or_else(|refusal| panic!("{}: {refusal:#}", self.program));
            let edit = json!({"edit_id": made["edit_id"]});
            workspace
                .call("apply_edit", edit.clone())
                .expect("it applies");
            let mut expected = before.clone();
            let mut rename = |file: &str, new_import: &str| {
                let text = before[file].replace(import, new_import);
                let text = text.replace("price(", "cost(");
                expected.insert(file.to_string(), text);
            };
            if self.renames_everywhere {
                for file in ["src/prices.ts", "src/bill.ts", self.file] {
                    rename(file, "import { cost }");
                }
            } else {
                rename(self.file, "import { price as cost }");
            }
            let mut found = sources(&workspace.root);
            // An import that the server left out has an alias.
            let alias = before["src/bill.ts"].replace("{ price }", "{ cost as price }");
            if complete && self.renames_everywhere && found["src/bill.ts"] == alias {
                found.insert("src/bill.ts".to_string(), expected["src/bill.ts"].clone());
            }
            assert_eq!(found, expected, "{}", self.program);
            workspace.call("undo_edit", edit).expect("it is undone");
        }
        if self.renames_everywhere {
            let other = "src/Other.svelte";
            workspace.write(other, SVELTE);
            let mut arguments = place.clone();
            arguments["new_name"] = json!("cost");
            let refusal = workspace.call("rename_symbol", arguments);
            let refusal = refusal.expect_err("a component would be left").to_string();
            assert!(refusal.contains("incomplete_rename"), "{refusal}");
            std::fs::remove_file(workspace.root.join(other)).expect("the file can be removed");
        }
    }

    /// Checks that a rename in TypeScript leaves no component with the old name.
    fn check_rename_of_definition(&self, workspace: &Workspace) {
        let mut arguments = json!({"locate": "src/prices.ts:price", "new_name": "cost"});
        let refusal = call(&workspace.engine, "rename_symbol", arguments.clone());
        let refusal = refusal.expect_err("the component imports it").json();
        let error = &refusal["error"];
        assert_eq!(error["code"], "incomplete_rename", "{error:#}");
        let place = &error["places"][0];
        assert_eq!(
            [&place["file"], &place["line"]],
            [&json!(self.file), &json!(2)]
        );
        arguments["complete"] = json!(true);
        assert_eq!(error["suggestions"][0]["arguments"], arguments, "{error:#}");
        let made = workspace.call("rename_symbol", arguments);
        let made = made.unwrap_or_else(|refusal| panic!("{}: {refusal:#}", self.program));
        let edit = json!({"edit_id": made["edit_id"]});
        workspace.call("apply_edit", edit).expect("it applies");
        let renamed = sources(&workspace.root);
        let expected = self.text.replace("{ price }", "{ cost as price }");
        assert_eq!(renamed[self.file], expected);
        assert!(renamed["src/bill.ts"].contains("first = cost("));
    }
}

/// Returns the folder of the installed packages.
fn installed() -> PathBuf {
    tools::variable("TREEGRAFT_TEST_COMPONENTS").into()
}

/// Returns the texts of the project without its packages.
fn sources(root: &Path) -> std::collections::BTreeMap<String, String> {
    let own = texts(&root.join("src")).into_iter();
    own.map(|(file, text)| (format!("src/{file}"), text))
        .collect()
}

#[test]
fn svelte() {
    let svelte = Component {
        language: "svelte",
        program: "svelteserver",
        file: "src/Bill.svelte",
        text: SVELTE,
        renames_everywhere: false,
    };
    svelte.drive();
}

#[test]
fn astro() {
    let astro = Component {
        language: "astro",
        program: "astro-ls",
        file: "src/Bill.astro",
        text: ASTRO,
        renames_everywhere: true,
    };
    astro.drive();
}

#[test]
fn vue() {
    let vue = Component {
        language: "vue",
        program: "vue-language-server",
        file: "src/Bill.vue",
        text: VUE,
        renames_everywhere: true,
    };
    vue.drive();
}
