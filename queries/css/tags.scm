; Definitions and their names, as editors list them: a rule set has the name of its selectors, an at-rule that
; of all text before its block (`@media (width > 1px)`), a keyframe that of its selectors (`from`, `50%`).
; Declarations are not symbols: no editor lists them.

(rule_set (selectors) @name) @definition.rule

(media_statement "@media" @name (block) @body (#set! name "..@body")) @definition.media
(supports_statement "@supports" @name (block) @body (#set! name "..@body")) @definition.supports
(scope_statement "@scope" @name (block) @body (#set! name "..@body")) @definition.scope
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body
  (#set! name "..@body")) @definition.keyframes
(keyframe_block [(from) (to) (integer_value)] @name (block) @body
  (#set! name "..@body")) @definition.keyframe
(at_rule (at_keyword) @name (block) @body (#set! name "..@body")) @definition.rule

; These nodes contain no definition.
[(arguments) (attribute_selector) (class_selector) (declaration) (import_statement) (selectors)] @closed
