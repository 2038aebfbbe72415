; Definitions and their names: a stage has its own name, otherwise that of its image, and ends before the next
; stage. An `ARG` or `ENV` has the name of its variable.

(from_instruction as: (image_alias) @name (#set! level "1")) @definition.stage
(from_instruction !as (image_spec name: (_) @alias) @name (#set! level "1")) @definition.stage

(arg_pair name: (_) @name) @definition.variable
(env_pair name: (_) @name) @definition.variable
