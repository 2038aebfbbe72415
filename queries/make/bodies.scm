; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; The body of a conditional starts after its condition and ends before the next branch.

(makefile) @body
((recipe) @body (#set! members "lines"))
((conditional) @body (#set! members "apart"))
((elsif_directive) @body (#set! members "apart"))
((else_directive) @body (#set! members "apart") (#set! after "else"))

(conditional condition: (_) @head)
(elsif_directive condition: (_) @head)
(conditional [(elsif_directive) (else_directive)] @frame)

; @unmeasured: the tab that starts a line of a recipe is not indentation.
(recipe) @unmeasured

; @late: the grammar may end such a node with all line breaks that follow it.
[(rule) (recipe) (variable_assignment) (shell_assignment) (VPATH_assignment) (RECIPEPREFIX_assignment)
 (define_directive) (include_directive) (conditional) (elsif_directive) (else_directive)] @late
