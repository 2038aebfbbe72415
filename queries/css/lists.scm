; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.

; The last declaration of a block may omit its `;`. Other members need none.
((block) @list (#set! separator ";") (#set! trailing "lines") (#set! opens "lines"))
[(rule_set) (media_statement) (supports_statement) (scope_statement) (keyframes_statement)
 (import_statement) (charset_statement) (namespace_statement) (postcss_statement) (at_rule)] @unseparated

; "alone": if several values are between two commas, they are not members. Without a comma, it is unknown
; whether the values of a declaration are a list.
((selectors) @list (#set! opens "lines"))
((arguments) @list (#set! members "alone"))
((declaration ",") @list (#set! members "alone"))
((import_statement ",") @list (#set! members "alone"))
((media_statement ",") @list)
((keyframe_block ",") @list)
((at_rule ",") @list)

; Children before or after the members.
(declaration (important) @frame)
(at_rule (at_keyword) @frame)
(at_rule (block) @frame)
(media_statement (block) @frame)
(keyframe_block (block) @frame)
