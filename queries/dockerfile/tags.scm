; Names of things: a stage goes by its name, else by its image, and reaches up to the next one; what it
; declares goes by the name of the variable.

(from_instruction as: (image_alias) @name (#set! level "1")) @definition.stage
(from_instruction !as (image_spec name: (_) @alias) @name (#set! level "1")) @definition.stage

(arg_pair name: (_) @name) @definition.variable
(env_pair name: (_) @name) @definition.variable
