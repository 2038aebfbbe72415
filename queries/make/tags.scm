; Definitions and their names: each target of a rule is a name of the rule.

(rule (targets (word) @name) (#set! names "all")) @definition.target
(rule (targets) @name) @definition.target

(variable_assignment name: (_) @name) @definition.variable
(shell_assignment name: (_) @name) @definition.variable
(VPATH_assignment "VPATH" @name) @definition.variable
(RECIPEPREFIX_assignment ".RECIPEPREFIX" @name) @definition.variable
(define_directive name: (_) @name) @definition.macro
