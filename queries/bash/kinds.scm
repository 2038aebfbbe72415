; General words (docs/pointing.md) for the node types of tree-sitter-bash 0.25.1.

(function_definition) @function
[(variable_assignment) (variable_assignments) (declaration_command)] @variable
; The statement of `cat <<EOF > out` includes its redirections and the text of its here-document.
(redirected_statement body: [(command) (declaration_command) (unset_command) (variable_assignment)
 (variable_assignments) (pipeline) (list) (test_command) (negated_command) (if_statement)
 (for_statement) (c_style_for_statement) (while_statement) (case_statement) (compound_statement)
 (subshell)] @statement (#set! is "not"))
[(command) (declaration_command) (unset_command) (variable_assignment) (variable_assignments)
 (redirected_statement) (pipeline) (list) (test_command) (negated_command) (if_statement)
 (for_statement) (c_style_for_statement) (while_statement) (case_statement) (compound_statement)
 (subshell) (function_definition)] @statement
(_expression) @expression
[(compound_statement) (subshell) (do_group)] @block
(command) @call
(command argument: (_) @argument)
(array (_) @element)
(array) @list
(case_item) @item
(comment) @comment
[(string) (raw_string) (ansi_c_string) (translated_string)] @string
(case_item) @case
