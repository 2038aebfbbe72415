; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; None of these has a trailing comma.

[(field_options) (ranges) (reserved_field_names)] @list

; The options of an enum value are children of that value.
((enum_field "[") @list (#set! inside "none"))
(enum_field [(identifier) (int_lit)] @frame)
