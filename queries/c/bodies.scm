; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; @head stays first in its body. A @terminator belongs to the preceding member.

[(compound_statement) (declaration_list) (field_declaration_list) (enumerator_list)] @body
((case_statement) @body (#set! after ":"))
([(preproc_if) (preproc_ifdef)] @body (#set! members "apart"))
(if_statement alternative: (else_clause) @body)
(call_expression arguments: (argument_list) @body)

(preproc_if condition: (_) @head)
(preproc_ifdef name: (_) @head)
; `#ifdef __cplusplus`, `extern "C" {`, `#endif`: the content of the block starts after the `#endif`.
(declaration_list (preproc_call) @head)

; The node of a struct, a union or an enum that declares nothing else ends before its `;`.
(translation_unit ";" @terminator)
(declaration_list ";" @terminator)
(compound_statement ";" @terminator)
(preproc_if ";" @terminator)
(preproc_ifdef ";" @terminator)
(preproc_elif ";" @terminator)
(preproc_else ";" @terminator)
; A statement that is only `;` in the same line belongs to the preceding member too.
((translation_unit (expression_statement) @terminator) (#eq? @terminator ";"))
((compound_statement (expression_statement) @terminator) (#eq? @terminator ";"))

; @unindented: a line that starts with it is never re-indented. It is mostly at column 0, whatever the
; indentation of the lines around it.
["#if" "#ifdef" "#ifndef" "#elif" "#else" "#endif" "#include" "#define" (preproc_directive)] @unindented
(labeled_statement label: (_) @unindented)

; @outdented: such a node may have the indentation of the line that opens its block.
(compound_statement (case_statement) @outdented)
; @deeper: such a node is indented deeper than the first line of its parent, without enclosing brackets.
(if_statement consequence: (_) @deeper)
(while_statement body: (_) @deeper)
(for_statement body: (_) @deeper)

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
"else" @later_clause

; @mistake: a node that the grammar uses for wrong code. It takes a keyword for a name where the keyword cannot be.
((type_identifier) @mistake (#eq? @mistake "else"))
((identifier) @mistake (#eq? @mistake "else"))
((statement_identifier) @mistake (#eq? @mistake "else"))
