//! The front ends of treegraft: the command line and the MCP server.
//!
//! Both pass calls to the [engine](treegraft::engine), and print or send its answers. They contain
//! no logic about the edited code.

// In the order of the layers: each module uses only those above it.
mod user_files;
mod user_languages;
mod hook;
pub mod mcp;
pub mod cli;
