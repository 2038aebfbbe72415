; The arguments of a macro and the body of a macro's rule are code if they parse as one expression or block.

((macro_invocation (token_tree) @tokens) (#set! ends ";"))
((macro_rule right: (token_tree) @tokens) (#set! ends ";"))
