//! The resources that a client may read by URI.
//!
//! Refuses an unknown URI, and lists the known ones.

use rmcp::ErrorData;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};

use treegraft::engine::completion::Argument;
use treegraft::engine::guides::{EDITING, LOCATING};
use treegraft::engine::request::ListEdits;
use treegraft::engine::{Answer, Engine};

use super::{INSTRUCTIONS, ListedTool};

const SCHEME: &str = "treegraft://";

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Guide,
    Languages,
    NodeTypes,
    OutputSchema,
    Edits,
    Edit,
}

/// A resource, or several with a variable in their URI.
struct ResourceKind {
    what: What,
    /// The URI before the variable, or the complete URI without the scheme if there is no variable.
    prefix: &'static str,
    /// The variable, with the text that follows it.
    variable: Option<(&'static str, &'static str)>,
    name: &'static str,
    description: &'static str,
    mime_type: &'static str,
}

const KINDS: &[ResourceKind] = &[
    ResourceKind {
        what: What::Guide,
        prefix: "guide",
        variable: None,
        name: "Guide",
        description: "How to select code, and what each edit does",
        mime_type: "text/markdown",
    },
    ResourceKind {
        what: What::Languages,
        prefix: "languages",
        variable: None,
        name: "Languages",
        description: "The languages, with their file extensions",
        mime_type: "text/plain",
    },
    ResourceKind {
        what: What::NodeTypes,
        prefix: "languages/",
        variable: Some(("language", "/node-types")),
        name: "Node types of a language",
        description: "The values of ancestor_node_type, each with an example and its general words",
        mime_type: "text/plain",
    },
    ResourceKind {
        what: What::OutputSchema,
        prefix: "tools/",
        variable: Some(("tool", "/output-schema")),
        name: "Output schema of a tool",
        description: "The complete JSON Schema of a tool's answers; tools/list contains only its first level",
        mime_type: "application/schema+json",
    },
    ResourceKind {
        what: What::Edits,
        prefix: "edits",
        variable: None,
        name: "Edits",
        description: "The pending, recently applied and recently discarded edits",
        mime_type: "text/plain",
    },
    ResourceKind {
        what: What::Edit,
        prefix: "edits/",
        variable: Some(("edit_id", "")),
        name: "Edit",
        description: "A staged or applied edit, with its diff",
        mime_type: "text/x-diff",
    },
];

impl ResourceKind {
    fn uri(&self, value: &str) -> String {
        let (_, suffix) = self.variable.unwrap_or_default();
        format!("{SCHEME}{}{value}{suffix}", self.prefix)
    }

    /// Returns the value of the variable in a URI of this kind; `None` if the URI is of another
    /// kind.
    fn value_in<'u>(&self, uri: &'u str) -> Option<&'u str> {
        let rest = uri.strip_prefix(SCHEME)?.strip_prefix(self.prefix)?;
        let Some((_, suffix)) = self.variable else {
            return rest.is_empty().then_some(rest);
        };
        let value = rest.strip_suffix(suffix)?;
        (!value.is_empty() && !value.contains('/')).then_some(value)
    }
}

/// Lists the current resources: the fixed ones, and the edits.
pub(super) fn listed(engine: &Engine) -> Vec<Resource> {
    let list = engine.list_edits(&ListEdits::default());
    let edits = list.map(|list| list.edits).unwrap_or_default();
    let mut all = Vec::new();
    for kind in KINDS {
        let resource = |value: &str, name: &str, description: &str| {
            Resource::new(kind.uri(value), name)
                .with_description(description)
                .with_mime_type(kind.mime_type)
        };
        match (kind.variable, kind.what) {
            (None, _) => all.push(resource("", kind.name, kind.description)),
            (_, What::Edit) => {
                let each = edits.iter();
                all.extend(each.map(|edit| resource(&edit.edit_id, &edit.edit_id, &edit.summary)));
            }
            _ => {}
        }
    }
    all
}

/// Lists the resource templates.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let kinds = KINDS.iter();
    let templates = kinds.filter_map(|kind| {
        let (variable, _) = kind.variable?;
        let template = ResourceTemplate::new(kind.uri(&format!("{{{variable}}}")), kind.name)
            .with_description(kind.description)
            .with_mime_type(kind.mime_type);
        Some(template)
    });
    templates.collect()
}

/// Returns whether a resource may change while the server runs.
pub(super) fn changes(uri: &str) -> bool {
    let kinds = KINDS.iter();
    let mut named = kinds.filter(|kind| kind.value_in(uri).is_some());
    named.any(|kind| matches!(kind.what, What::Edits | What::Edit))
}

/// Returns the source of completions for the variable of a template; `None` if the template or
/// variable is unknown.
pub(super) fn argument(template: &str, variable: &str) -> Option<Completes> {
    let is_it = |kind: &&ResourceKind| {
        let own = kind.variable.map(|(own, _)| own);
        own == Some(variable) && kind.uri(&format!("{{{variable}}}")) == template
    };
    match KINDS.iter().find(is_it)?.what {
        What::NodeTypes => Some(Completes::From(Argument::Language)),
        What::OutputSchema => Some(Completes::Tools),
        What::Edit => Some(Completes::From(Argument::EditId)),
        What::Guide | What::Languages | What::Edits => None,
    }
}

/// The source of completions.
pub(super) enum Completes {
    From(Argument<'static>),
    /// The names of the tools.
    Tools,
}

/// Returns the text of a resource.
///
/// # Errors
/// The URI is unknown. The error lists the known ones.
pub(super) fn read(
    engine: &Engine,
    tools: &[ListedTool],
    uri: &str,
) -> Result<ResourceContents, ErrorData> {
    let kinds = KINDS.iter();
    let mut named = kinds.filter_map(|kind| Some((kind, kind.value_in(uri)?)));
    let Some((kind, value)) = named.next() else {
        let known: Vec<String> = KINDS
            .iter()
            .map(|kind| {
                let variable = kind.variable.map(|(variable, _)| format!("{{{variable}}}"));
                kind.uri(&variable.unwrap_or_default())
            })
            .collect();
        return Err(not_found(
            uri,
            &format!("the resources are {}", known.join(", ")),
        ));
    };
    let text = match kind.what {
        What::Guide => Ok(format!("{INSTRUCTIONS}\n{LOCATING}\n{EDITING}")),
        What::Languages => Ok(Engine::languages().text()),
        What::NodeTypes => Engine::node_types(value)
            .map(|types| types.text())
            .map_err(|refusal| refusal.text()),
        What::OutputSchema => schema(tools, value),
        What::Edits => engine
            .list_edits(&ListEdits::default())
            .map(|edits| edits.text())
            .map_err(|refusal| refusal.text()),
        What::Edit => {
            let shown = engine.list_edits(&ListEdits::one(value));
            shown
                .map(|edit| edit.text())
                .map_err(|refusal| refusal.text())
        }
    };
    let text = text.map_err(|reason| not_found(uri, &reason))?;
    Ok(ResourceContents::text(text, uri).with_mime_type(kind.mime_type))
}

fn schema(tools: &[ListedTool], name: &str) -> Result<String, String> {
    let names = || tools.iter().map(|tool| tool.listed.name.as_ref());
    match names().position(|known| known == name) {
        Some(row) => Ok(Value::Object((tools[row].schemas.answer)()).to_string()),
        None => Err(format!(
            "the tools are {}",
            names().collect::<Vec<_>>().join(", ")
        )),
    }
}

fn not_found(uri: &str, reason: &str) -> ErrorData {
    ErrorData::resource_not_found(
        format!("no resource {uri}: {}", reason.trim_end()),
        Some(json!({"uri": uri})),
    )
}
