"""Uses a server as an agent would: the official client previews an edit and applies it.

    python tests/packaging/client.py FOLDER COMMAND...

COMMAND starts the server. FOLDER contains `greeting.py` with a function `greet`, whose `"hello"` becomes `"goodbye"`.
Exits with status 1 and the reason at the first wrong answer.
"""

import asyncio
import os
import sys

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

SECONDS = 60


async def edit(folder, command):
    path = os.path.join(folder, "greeting.py")
    server = StdioServerParameters(command=command[0], args=command[1:], cwd=folder, env=dict(os.environ))
    async with Client(server) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        if not {"edit_nodes", "apply_edit"} <= tools:
            sys.exit(f"the server offers only {sorted(tools)}")
        before = open(path).read()
        selector = {"anchor_text": '"hello"', "ancestor_node_type": "string"}
        edits = [{"file_path": "greeting.py", "selector": selector, "new_content": '"goodbye"'}]
        previewed = await client.call_tool("edit_nodes", {"edits": edits})
        if previewed.is_error or open(path).read() != before:
            sys.exit(f"the preview failed or wrote the file: {previewed}")
        edit_id = previewed.structured_content["edit_id"]
        applied = await client.call_tool("apply_edit", {"edit_id": edit_id})
        if applied.is_error or open(path).read() != before.replace('"hello"', '"goodbye"'):
            sys.exit(f"the edit was not applied: {applied}")


asyncio.run(asyncio.wait_for(edit(sys.argv[1], sys.argv[2:]), SECONDS))
