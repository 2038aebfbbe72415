; General words (docs/pointing.md) for the node types of tree-sitter-haskell 0.24.1.

(declarations [(function) (bind)] @function)
(local_binds [(function) (bind)] @function)
(instance_declarations [(function) (bind)] @function)
(class_declarations [(function) (bind)] @function)
(instance_declarations [(function) (bind)] @method)
(class_declarations [(signature) (function) (bind)] @method)
[(class) (data_type)] @class
(data_type) @struct
(data_type) @enum
(class) @interface
(header) @module
[(data_type) (newtype) (type_synonym)] @type
[(bind) (field)] @variable
[(field) (field_update)] @field
(function patterns: (patterns (_) @parameter))
(lambda patterns: (patterns (_) @parameter))
(apply argument: (_) @argument)
(do statement: (_) @statement)
(expression) @expression
[(do) (local_binds) (alternatives)] @block
(apply) @call
(import) @import
[(comment) (haddock)] @comment
[(string) (char) (quasiquote)] @string
(field_update) @property
(list (_) @element)
(tuple (_) @element)
[(data_type) (newtype) (type_synonym) (class) (instance) (deriving_instance)] @item
(declarations [(function) (bind) (signature)] @item)
(import) @item
[(list) (tuple) (exports) (import_list) (fields)] @list
(alternative) @case
