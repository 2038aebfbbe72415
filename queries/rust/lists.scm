; Lists: what sets their members apart belongs to the list; an insertion adds it, a deletion takes
; it out. Settings:
;   separator  the token between two members and the blanks before it, a comma if not said
;   members    "runs": all between two separators is one member;
;              "alone": only a child that stands alone between two separators is one
;   opens      an empty list that gets a member does so on "lines", else in its line
;   trailing   the last member has a separator too where members stand on "lines" of their own
;   single     a lone member is "separated" too
;   empty      the list "goes" with its last member

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

; Members that need no separator behind them.
(match_arm value: (block)) @unseparated
