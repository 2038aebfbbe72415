; Names of things, as editors and ctags list them: functions, in both ways to write them, and what is
; assigned at the top of a script. `export A=1 B=2` goes by its first name.

(function_definition name: (_) @name) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable)
