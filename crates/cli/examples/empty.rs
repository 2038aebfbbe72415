//! The smallest MCP server that rmcp supports: no tools, on standard input and output.
//!
//! `benches/ratios/start.rs` compares `treegraft serve` with it.

use rmcp::{ServerHandler, ServiceExt};

struct Empty;

impl ServerHandler for Empty {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let running = Empty.serve(rmcp::transport::stdio_pipes()).await?;
    running.waiting().await?;
    Ok(())
}
