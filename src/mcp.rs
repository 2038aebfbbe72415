//! The MCP server: tool = read arguments, `engine.verb()`, write the answer.
