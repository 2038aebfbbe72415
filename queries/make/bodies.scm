; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own. What follows a condition, up to the next branch, is inside.

(makefile) @body
((recipe) @body (#set! members "lines"))
((conditional) @body (#set! members "apart"))
((elsif_directive) @body (#set! members "apart"))
((else_directive) @body (#set! members "apart") (#set! after "else"))

(conditional condition: (_) @head)
(elsif_directive condition: (_) @head)
(conditional [(elsif_directive) (else_directive)] @frame)

; The tab that begins a line of a recipe is no indentation.
(recipe) @unmeasured

; The grammar lets it end with all line breaks behind it.
[(rule) (recipe) (variable_assignment) (shell_assignment) (VPATH_assignment) (RECIPEPREFIX_assignment)
 (define_directive) (include_directive) (conditional) (elsif_directive) (else_directive)] @late
