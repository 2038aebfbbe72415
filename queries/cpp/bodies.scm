; Bodies of C++ beside those of C (c/bodies.scm).

(requirement_seq) @body
(concept_definition (requires_expression) @body)
; `public:` stands as deep as the class.
(field_declaration_list (access_specifier) @outdented)
(for_range_loop body: (_) @deeper)

; A class that declares nothing else ends before its `;`, a method may; `public` before its colon.
(field_declaration_list [";" ":"] @terminator)

; @header: a statement that starts with it may go on in the next line, without a bracket.
["if" "for" "while" "else" "switch" "catch"] @header
