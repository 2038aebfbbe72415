(export_specifier !alias) @exported

; Names of members that are known when the code runs.
(subscript_expression index: (template_string (template_substitution)) @composed_member)
(subscript_expression index: (binary_expression left: (string) operator: "+") @composed_member)
(subscript_expression index: (binary_expression operator: "+" right: (string)) @composed_member)
(subscript_expression index: (binary_expression left: (binary_expression) operator: "+") @composed_member)
