; General words (docs/pointing.md) for the node types of tree-sitter-containerfile 0.9.2.

[(add_instruction) (arg_instruction) (cmd_instruction) (copy_instruction) (entrypoint_instruction)
 (env_instruction) (expose_instruction) (from_instruction) (healthcheck_instruction)
 (label_instruction) (maintainer_instruction) (onbuild_instruction) (run_instruction)
 (shell_instruction) (stopsignal_instruction) (user_instruction) (volume_instruction)
 (workdir_instruction)] @statement
[(add_instruction) (arg_instruction) (cmd_instruction) (copy_instruction) (entrypoint_instruction)
 (env_instruction) (expose_instruction) (from_instruction) (healthcheck_instruction)
 (label_instruction) (maintainer_instruction) (onbuild_instruction) (run_instruction)
 (shell_instruction) (stopsignal_instruction) (user_instruction) (volume_instruction)
 (workdir_instruction)] @item
[(arg_pair) (env_pair)] @variable
[(arg_pair) (env_pair) (label_pair)] @property
[(param) (mount_param)] @parameter
[(path) (expose_port)] @argument
(json_string_array (_) @element)
(json_string_array) @list
(comment) @comment
[(double_quoted_string) (single_quoted_string) (json_string) (heredoc_block)] @string
(arg_pair name: (_) @key)
(env_pair name: (_) @key)
(label_pair key: (_) @key)
