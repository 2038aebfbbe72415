; Lists: the members of a @row stand side by side, with nothing but blanks between.

[(prerequisites) (targets) (list) (pattern_list)] @row
