; What moves with a node. The grammar puts a definition and its decorators into a common parent.

(decorator) @attached.decorator
(decorated_definition definition: (_) @wrapped)

; The grammar puts comments before the first statement of a body outside the body (@loose).
((comment) @loose (#set! begins "#"))

; @file: comments about the whole file. An encoding counts in the form of PEP 263, if it names a codec.
((comment) @file (#match? @file "coding[:=][ \\t]*(?i:utf[-_]?(?:7|8|16|32)|latin[-_]?[0-9]|iso[-_]?(?:8859|2022)|(?:us[-_])?ascii\\b|cp[-_]?[0-9]|windows[-_][0-9]|euc[-_]|shift[-_]jis|sjis|gbk\\b|gb[-_]?[0-9]|big5|koi8|mac[-_])"))
((comment) @file (#match? @file "^#[ \\t]*(?:mypy:[ \\t]*[a-z_-]+[ \\t]*(?:[=,]|$)|pyright:[ \\t]*(?:basic|standard|strict|report\\w+[ \\t]*=)|pylint:[ \\t]*(?:disable|enable|skip-file)\\b(?:[^-]|$)|pyre-(?:strict|unsafe|ignore-all-errors)\\b|pytype:[ \\t]*(?:skip-file|disable)\\b|(?:cython|distutils):[ \\t]*[a-z_.]+[ \\t]*=|(?:yapf|autopep8|fmt):[ \\t]*(?:disable|off)\\b|(?:ruff|flake8):[ \\t]*noqa\\b|isort:[ \\t]*skip_file|type:[ \\t]*ignore\\b)"))
; Script metadata (PEP 723).
((comment) @file (#match? @file "^# ///(?: [a-zA-Z0-9-]+)?$"))
