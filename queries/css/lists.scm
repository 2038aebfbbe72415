; Lists: what sets their members apart belongs to the list; an insertion adds it, a deletion takes
; it out.

; The last declaration of a block may lack its `;`, nothing but a declaration needs one.
((block) @list (#set! separator ";") (#set! trailing "lines") (#set! opens "lines"))
[(rule_set) (media_statement) (supports_statement) (scope_statement) (keyframes_statement)
 (import_statement) (charset_statement) (namespace_statement) (postcss_statement) (at_rule)] @unseparated

; What stands between two commas may be several values, of which none is a member. Where there is
; no comma nothing tells whether the values of a declaration are one.
((selectors) @list (#set! opens "lines"))
((arguments) @list (#set! members "alone"))
((declaration ",") @list (#set! members "alone"))
((import_statement ",") @list (#set! members "alone"))
((media_statement ",") @list)
((keyframe_block ",") @list)
((at_rule ",") @list)

; What stands before or behind the members.
(declaration (important) @frame)
(at_rule (at_keyword) @frame)
(at_rule (block) @frame)
(media_statement (block) @frame)
(keyframe_block (block) @frame)
