; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; Settings:
;   separator  the token between two members and the whitespace before it; a comma by default
;   members    "runs": everything between two separators is one member;
;              "alone": a child is a member only if it is the only one between two separators
;   opens      where an empty list gets its first member: on "lines" of its own, or as the list "around" it
;              does; on the same line by default
;   trailing   the last member has a separator too if members are on "lines" of their own
;   single     a single member is "separated" too
;   lone       a single member in brackets is a "value", not a list
;   empty      the list "goes" with its last member
;   or         line breaks ("lines") separate members too

([(arguments) (parameters) (array_expression) (tuple_pattern) (slice_pattern)
  (tuple_struct_pattern) (struct_pattern) (use_list) (field_initializer_list)] @list
  (#set! trailing "lines"))
([(tuple_expression) (tuple_type)] @list (#set! trailing "lines") (#set! single "separated"))
([(type_parameters) (type_arguments) (where_clause)] @list
  (#set! trailing "lines") (#set! empty "goes"))
([(field_declaration_list) (enum_variant_list) (match_block)] @list
  (#set! trailing "lines") (#set! opens "lines"))
((ordered_field_declaration_list) @list (#set! trailing "lines"))
(closure_parameters) @list
((trait_bounds) @list (#set! separator " +") (#set! empty "goes"))
((attribute arguments: (token_tree) @list) (#set! members "runs") (#set! trailing "lines"))
((token_tree) @list (#set! members "alone"))

; Members that need no separator after them.
(match_arm value: (block)) @unseparated

((or_pattern) @list (#set! separator " |") (#set! begins "lines"))
