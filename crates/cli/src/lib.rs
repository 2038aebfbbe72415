//! The front ends of treegraft: the command line and the MCP server.
//!
//! Both take calls, let the [engine](treegraft::engine) answer them, and print or send its answers. They decide nothing
//! about code.

// In the order of the layers: each module uses only those above it.
mod user_files;
pub mod mcp;
pub mod cli;
