//! What treegraft does, seen from outside.

mod mcp;
