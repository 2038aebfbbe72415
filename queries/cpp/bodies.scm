; Bodies that C++ adds to those of C (c/bodies.scm).

(requirement_seq) @body
(concept_definition (requires_expression) @body)
; @outdented: `public:` may have the indentation of the class.
(field_declaration_list (access_specifier) @outdented)
(for_range_loop body: (_) @deeper)

; The node of a class that declares nothing else ends before its `;`, and so may that of a method. The node of
; `public` ends before its colon.
(field_declaration_list [";" ":"] @terminator)

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
"catch" @clause

; @mistake: see c/bodies.scm.
((type_identifier) @mistake (#eq? @mistake "catch"))
((identifier) @mistake (#eq? @mistake "catch"))
