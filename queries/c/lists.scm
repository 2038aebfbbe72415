; Lists: what sets their members apart belongs to the list; an insertion adds it, a deletion takes
; it out. The settings are told in rust/lists.scm.

[(argument_list) (parameter_list) (preproc_params) (gnu_asm_clobber_list)] @list
((initializer_list) @list (#set! trailing "lines"))
((enumerator_list) @list (#set! trailing "lines") (#set! opens "lines"))

; The commas of what is compiled only under a condition stand inside it.
(enumerator_list [(preproc_if) (preproc_ifdef) (preproc_call)] @unseparated)

; What follows the members of a condition is another branch and no member.
(preproc_if [(preproc_elif) (preproc_else)] @frame)
(preproc_ifdef [(preproc_elif) (preproc_else)] @frame)
(preproc_elif [(preproc_elif) (preproc_else)] @frame)
