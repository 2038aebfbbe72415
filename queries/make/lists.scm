; Lists: the members of a @row are on one line, with only spaces between them.

[(prerequisites) (targets) (list) (pattern_list)] @row
