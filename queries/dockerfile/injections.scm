; Which nodes hold another language: what is run by the shell.

((run_instruction (shell_command) @injection.content) (#set! injection.language "bash"))
((cmd_instruction (shell_command) @injection.content) (#set! injection.language "bash"))
((entrypoint_instruction (shell_command) @injection.content) (#set! injection.language "bash"))
