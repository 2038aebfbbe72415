; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; @head stays first in its body.

[(block) (declaration_list) (field_declaration_list) (ordered_field_declaration_list)
 (enum_variant_list) (match_block) (field_initializer_list)] @body
(if_expression alternative: (else_clause) @body)
(call_expression arguments: (arguments) @body)
(macro_invocation (token_tree) @body)
(attribute arguments: (token_tree) @body)
(scoped_use_list list: (use_list) @body)

[(inner_attribute_item) (line_comment inner: (_)) (block_comment inner: (_))] @head

; @flush: a line that starts with it may be indented like the line that its parent starts in, or deeper.
(or_pattern "|" @flush)

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
"else" @later_clause

; @transparent: the children of such a node count as children of its parent. The grammar nests the patterns of `a | b`.
(or_pattern (or_pattern) @transparent)

; @terminator: a `;` that follows an item in its line belongs to it.
(source_file (empty_statement) @terminator)
(block (empty_statement) @terminator)
