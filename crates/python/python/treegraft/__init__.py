"""A structural editor engine: describe what to change by its text, its syntax node and its symbol.

The functions take a text and return an answer. They read and write no file:

>>> import treegraft
>>> edited = treegraft.edit("def limit():\\n    return 30\\n", "python", "integer@30", "replace", "60")
>>> edited.text
'def limit():\\n    return 60\\n'

`Engine` works on the files below its roots, with a method for each tool:

>>> import pathlib, tempfile
>>> folder = tempfile.TemporaryDirectory()
>>> root = pathlib.Path(folder.name, "project")
>>> root.mkdir()
>>> size = root.joinpath("api.py").write_text("def limit():\\n    return 30\\n")
>>> engine = treegraft.Engine(root, state_directory=pathlib.Path(folder.name, "state"))
>>> staged = engine.replace_node("api.py", "integer@30", "60")
>>> print(staged.diff)
--- a/api.py
+++ b/api.py
@@ -1,2 +1,2 @@
 def limit():
-    return 30
+    return 60
<BLANKLINE>
>>> engine.apply_edit(staged.edit_id).status
'applied'

A call that treegraft refuses raises `Refusal`. It lists what would have worked:

>>> try:
...     engine.replace_node("api.py", "integr@60", "90")
... except treegraft.Refusal as refusal:
...     print(refusal.code, "->", refusal.suggestions[0].selects)
unknown_node_type -> integer at line 2: 60
>>> engine.close()
>>> folder.cleanup()
"""

from __future__ import annotations

from . import _answers
from ._answers import *  # noqa: F403
from ._engine import Answer, BlankLines, Destination, Engine, NodeEdit, Selector
from ._native import Edited, __version__
from ._refusal import Candidate, FurtherRefusal, ReasonPlace, Refusal, Suggestion
from ._text import (
    Allow,
    Operation,
    Text,
    edit,
    edit_nodes,
    find,
    languages,
    locate,
    node_types,
    outline,
    read,
    rewrite,
)

__all__ = [
    "Allow",
    "Answer",
    "BlankLines",
    "Candidate",
    "Destination",
    "Edited",
    "Engine",
    "FurtherRefusal",
    "NodeEdit",
    "Operation",
    "ReasonPlace",
    "Refusal",
    "Selector",
    "Suggestion",
    "Text",
    "__version__",
    "edit",
    "edit_nodes",
    "find",
    "languages",
    "locate",
    "node_types",
    "outline",
    "read",
    "rewrite",
]
__all__ += _answers.__all__
