//! The MCP server: tool = read arguments, `engine.verb()`, write the answer.

use std::sync::Arc;

use crate::engine::Engine;

/// placeholder until the server lands
pub async fn serve(_engine: Arc<Engine>) -> Result<(), std::io::Error> {
    Ok(())
}
