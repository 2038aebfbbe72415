; Nodes that contain another language: commands that the shell runs.

((run_instruction (shell_command) @injection.content) (#set! injection.language "bash"))
((cmd_instruction (shell_command) @injection.content) (#set! injection.language "bash"))
((entrypoint_instruction (shell_command) @injection.content) (#set! injection.language "bash"))
