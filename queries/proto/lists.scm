; Lists: what sets their members apart belongs to the list; an insertion adds it, a deletion takes
; it out. None has a comma behind its last member.

[(field_options) (ranges) (reserved_field_names)] @list

; The options of an enum's value stand in it.
((enum_field "[") @list (#set! inside "none"))
(enum_field [(identifier) (int_lit)] @frame)
