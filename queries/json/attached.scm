; JSON attaches nothing to a node.
