; Definitions and their names, as editors and ctags list them: functions in both syntaxes, and variables that
; are assigned at the top level of a script. `export A=1 B=2` has the name `A`.

(function_definition name: (_) @name) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable)
