; What moves with a node: comments directly above it.

; @import: see javascript/attached.scm.
((command name: (command_name) @_name) @import (#any-of? @_name "source" "."))

; @file: settings of ShellCheck for all that follows.
((comment) @file (#match? @file "^#[ \\t]*shellcheck[ \\t]+(?:shell|disable|enable|external-sources)="))
