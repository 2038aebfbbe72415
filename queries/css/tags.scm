; Names of things, as editors list them: a rule set by its selectors, an at-rule by all that stands
; before its block (`@media (width > 1px)`), a step of an animation by its moments. Declarations
; are none: no editor lists them.

(rule_set (selectors) @name) @definition.rule

(media_statement "@media" @name (block) @body (#set! name "..@body")) @definition.media
(supports_statement "@supports" @name (block) @body (#set! name "..@body")) @definition.supports
(scope_statement "@scope" @name (block) @body (#set! name "..@body")) @definition.scope
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body
  (#set! name "..@body")) @definition.keyframes
(keyframe_block [(from) (to) (integer_value)] @name (block) @body
  (#set! name "..@body")) @definition.keyframe
(at_rule (at_keyword) @name (block) @body (#set! name "..@body")) @definition.rule

; Below these the grammar has no definition.
[(arguments) (attribute_selector) (class_selector) (declaration) (import_statement) (selectors)] @closed
