; General words (docs/pointing.md) for the node types of tree-sitter-make 1.1.1.

(rule) @function
[(variable_assignment) (shell_assignment) (VPATH_assignment) (RECIPEPREFIX_assignment)
 (define_directive)] @variable
[(rule) (variable_assignment) (shell_assignment) (VPATH_assignment) (RECIPEPREFIX_assignment)
 (define_directive) (conditional) (include_directive) (vpath_directive) (export_directive)
 (unexport_directive) (override_directive) (undefine_directive) (private_directive)
 (recipe_line)] @statement
[(variable_reference) (substitution_reference) (automatic_variable) (function_call)
 (shell_function)] @expression
(recipe) @block
[(function_call) (shell_function)] @call
(include_directive) @import
(comment) @comment
(string) @string
(prerequisites (_) @element)
[(rule) (variable_assignment) (shell_assignment) (VPATH_assignment) (RECIPEPREFIX_assignment)
 (define_directive) (conditional) (include_directive) (vpath_directive) (export_directive)
 (unexport_directive) (override_directive) (undefine_directive) (private_directive)] @item
(rule) @rule
