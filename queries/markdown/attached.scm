; Markdown attaches nothing to a node.
