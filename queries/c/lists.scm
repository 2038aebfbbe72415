; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm.

[(argument_list) (parameter_list) (preproc_params) (gnu_asm_clobber_list)] @list
((initializer_list) @list (#set! trailing "lines"))
((enumerator_list) @list (#set! trailing "lines") (#set! opens "lines"))

; The commas of conditionally compiled members are inside the condition.
(enumerator_list [(preproc_if) (preproc_ifdef) (preproc_call)] @unseparated)

; The branch that follows the members of a condition is not a member.
(preproc_if [(preproc_elif) (preproc_else)] @frame)
(preproc_ifdef [(preproc_elif) (preproc_else)] @frame)
(preproc_elif [(preproc_elif) (preproc_else)] @frame)
