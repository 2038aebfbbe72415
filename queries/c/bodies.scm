; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own. @head stays first in its body; @terminator belongs to the member before it.

[(compound_statement) (declaration_list) (field_declaration_list) (enumerator_list)] @body
((case_statement) @body (#set! after ":"))
([(preproc_if) (preproc_ifdef)] @body (#set! members "apart"))
(if_statement alternative: (else_clause) @body)
(call_expression arguments: (argument_list) @body)

(preproc_if condition: (_) @head)
(preproc_ifdef name: (_) @head)
; `#ifdef __cplusplus`, `extern "C" {`, `#endif`: what is in the block begins behind the `#endif`.
(declaration_list (preproc_call) @head)

; A struct, union or enum that declares nothing else ends before its `;`.
(translation_unit ";" @terminator)
(declaration_list ";" @terminator)
(compound_statement ";" @terminator)
(preproc_if ";" @terminator)
(preproc_ifdef ";" @terminator)
(preproc_elif ";" @terminator)
(preproc_else ";" @terminator)

; Lines that stand where they are written, mostly at column 0, however deep those round them are.
["#if" "#ifdef" "#ifndef" "#elif" "#else" "#endif" "#include" "#define" (preproc_directive)] @unindented
(labeled_statement label: (_) @unindented)

; What may stand as deep as the line its block opens in.
(compound_statement (case_statement) @outdented)
; What stands deeper than its first line with no bracket round it.
(if_statement consequence: (_) @deeper)
(while_statement body: (_) @deeper)
(for_statement body: (_) @deeper)

; @header: a statement that starts with it may go on in the next line, without a bracket.
["if" "for" "while" "else" "switch"] @header
