; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.

(pair value: [(object) (array)] @body)
