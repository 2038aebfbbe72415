; General words (docs/pointing.md) for the node types of tree-sitter-proto 0.6.0.

(rpc) @function
(rpc) @method
[(message) (group) (service)] @class
[(message) (group)] @struct
(enum) @enum
(service) @interface
(type) @type
[(field) (oneof_field) (map_field) (enum_field) (group)] @field
[(option) (field_option) (enum_value_option)] @property
[(syntax) (edition) (import) (package) (option) (reserved) (extensions) (empty_statement)] @statement
(constant) @expression
[(message_body) (enum_body) (block_lit)] @block
(import) @import
(comment) @comment
(string) @string
[(range) (reserved_identifier)] @element
[(message) (enum) (extend) (service) (import) (package) (option) (syntax) (edition)] @item
[(field_options) (ranges) (reserved_field_names)] @list
