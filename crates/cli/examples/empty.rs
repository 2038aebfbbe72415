//! The least MCP server that the protocol's library makes: no tools, on standard input and output.
//!
//! `benches/ratios/start.rs` measures `treegraft serve` beside it.

use rmcp::{ServerHandler, ServiceExt};

struct Empty;

impl ServerHandler for Empty {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let running = Empty.serve(rmcp::transport::stdio_pipes()).await?;
    running.waiting().await?;
    Ok(())
}
