//! The parameters of `initialize`.

use camino::Utf8PathBuf;
use serde_json::{Value, json};

use super::launch::Launch;
use super::uri::uri_of;

/// Returns the parameters of `initialize`.
pub(super) fn initialize_params(launch: &Launch) -> Value {
    let folders = workspace_folders(&launch.roots);
    let mut params = json!({
        "processId": std::process::id(),
        "clientInfo": {"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")},
        "rootUri": folders[0]["uri"],
        "rootPath": launch.roots[0].as_str(),
        "workspaceFolders": folders,
        "capabilities": client_capabilities(),
    });
    if !launch.initialization_options.is_null() {
        params["initializationOptions"] = launch.initialization_options.clone();
    }
    params
}

/// Returns directories as the protocol's workspace folders.
pub(super) fn workspace_folders(roots: &[Utf8PathBuf]) -> Value {
    let folder =
        |root: &Utf8PathBuf| json!({"uri": uri_of(root), "name": root.file_name().unwrap_or("/")});
    roots.iter().map(folder).collect()
}

/// Returns what treegraft supports (LSP 3.17, `ClientCapabilities`). Lists only what treegraft reads: servers
/// send a simpler form of what is missing here.
fn client_capabilities() -> Value {
    let links = json!({"linkSupport": true});
    let kinds: Vec<u32> = (1..=26).collect();
    json!({
        "general": {
            "positionEncodings": ["utf-8", "utf-16", "utf-32"],
            "staleRequestSupport": {"cancel": true, "retryOnContentModified": []},
        },
        "window": {
            "workDoneProgress": true,
            "showMessage": {"messageActionItem": {"additionalPropertiesSupport": false}},
            "showDocument": {"support": false},
        },
        "workspace": {
            "applyEdit": true,
            "workspaceEdit": {
                "documentChanges": true,
                "resourceOperations": ["create", "rename", "delete"],
                "failureHandling": "abort",
                "normalizesLineEndings": false,
                "changeAnnotationSupport": {"groupsOnLabel": false},
            },
            "didChangeConfiguration": {"dynamicRegistration": true},
            "didChangeWatchedFiles": {"dynamicRegistration": true, "relativePatternSupport": true},
            "symbol": {"symbolKind": {"valueSet": kinds}},
            "executeCommand": {},
            "workspaceFolders": true,
            "configuration": true,
            "diagnostics": {"refreshSupport": true},
        },
        "textDocument": {
            "synchronization": {"didSave": true},
            "hover": {"contentFormat": ["markdown", "plaintext"]},
            "signatureHelp": {
                "signatureInformation": {
                    "documentationFormat": ["markdown", "plaintext"],
                    "parameterInformation": {"labelOffsetSupport": true},
                    "activeParameterSupport": true,
                },
            },
            "declaration": links,
            "definition": links,
            "typeDefinition": links,
            "implementation": links,
            "references": {},
            "documentSymbol": {
                "hierarchicalDocumentSymbolSupport": true,
                "symbolKind": {"valueSet": kinds},
            },
            "codeAction": {
                "codeActionLiteralSupport": {
                    "codeActionKind": {
                        "valueSet": [
                            "", "quickfix", "refactor", "refactor.extract", "refactor.inline",
                            "refactor.rewrite", "source", "source.organizeImports", "source.fixAll",
                        ],
                    },
                },
                "isPreferredSupport": true,
                "disabledSupport": true,
                "dataSupport": true,
                "resolveSupport": {"properties": ["edit", "command"]},
            },
            "formatting": {},
            "rangeFormatting": {},
            "rename": {"prepareSupport": true, "prepareSupportDefaultBehavior": 1},
            "publishDiagnostics": {
                "relatedInformation": true,
                "versionSupport": true,
                "codeDescriptionSupport": true,
                "dataSupport": true,
                "tagSupport": {"valueSet": [1, 2]},
            },
            "diagnostic": {"dynamicRegistration": false, "relatedDocumentSupport": false},
            "callHierarchy": {},
            "typeHierarchy": {},
        },
        "experimental": {"serverStatusNotification": true},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_capabilities_are_in_the_protocol() {
        let written = client_capabilities();
        let typed: gen_lsp_types::ClientCapabilities =
            serde_json::from_value(written.clone()).expect("the protocol has all of them");
        let back = serde_json::to_value(typed).expect("they can be written");
        assert_eq!(back, written);
    }
}
