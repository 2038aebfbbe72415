; Definitions and their names. Messages, enums and groups nest as they are written, and the fields of a
; `oneof` nest under it. An `extend` has the name of the message that it extends.

(message (message_name) @name) @definition.message
(group (message_name) @name) @definition.message
(extend (full_ident) @name) @definition.extension
(enum (enum_name) @name) @definition.enum
(enum_field (identifier) @name) @definition.variant
(oneof (identifier) @name) @definition.oneof
[(field (identifier) @name) (map_field (identifier) @name) (oneof_field (identifier) @name)] @definition.field

(service (service_name) @name) @definition.service
(rpc (rpc_name) @name) @definition.rpc
