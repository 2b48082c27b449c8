// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package builtin

// tables are the built-in tools of all hosts but Claude Code, each from the source that stands above it.
var tables = map[string]string{
	// github openai/codex, codex-rs/hooks: every shell-like tool is Bash, and apply_patch has its patch as the command.
	"codex": `
		Bash: command!=command workdir=path
		apply_patch: command!=patch
	`,
	// github google-gemini/gemini-cli at 5411f113, coreToolsModelSnapshots.test.ts.snap. The prompt of web_fetch holds URLs.
	"gemini": `
		run_shell_command: command!=command dir_path=path description=text is_background delay_ms additional_permissions
		read_file: file_path!=path start_line end_line
		write_file: file_path!=path content=text
		replace: file_path!=path instruction=text old_string=text new_string=text allow_multiple
		read_many_files: include[]=glob exclude[]=glob recursive useDefaultExcludes file_filtering_options
		list_directory: dir_path!=path ignore[]=glob file_filtering_options
		glob: pattern!=glob dir_path=path case_sensitive respect_git_ignore respect_gemini_ignore
		grep_search: pattern!=regex dir_path=path include_pattern=glob exclude_pattern=regex names_only
		web_fetch: prompt!=text
		google_web_search: query!=text
	`,
	// npm @qwen-code/qwen-code 0.24.4, chunks.
	"qwen": `
		run_shell_command: command!=command directory=path description=text is_background timeout
		monitor: command!=command directory=path description=text max_events idle_timeout_ms
		read_file: file_path!=path offset limit pages
		write_file: file_path!=path content=text record_as_artifact
		edit: file_path!=path old_string=text new_string=text replace_all
		notebook_edit: notebook_path!=path cell_id new_source=text cell_type edit_mode
		zoom_image: file_path!=path x1 y1 x2 y2
		artifact: file_path!=path title=text
		list_directory: path!=path ignore file_filtering_options
		glob: pattern!=glob path=path
		grep_search: pattern!=regex path=path glob=glob limit
		web_fetch: url!=url prompt=text format
		web_search: query!=text
	`,
	// npm @moonshot-ai/kimi-code 2.1.0, dist/main.mjs.
	"kimi": `
		Bash: command!=command cwd=path timeout description=text run_in_background disable_timeout
		Read: path!=path column_offset n_lines max_chars line_offset
		Write: path!=path content=text mode
		Edit: path!=path old_string=text new_string=text replace_all
		ReadMediaFile: path!=path x y width height full_resolution
		Glob: pattern!=glob path=path head_limit offset include_ignored include_dirs
		Grep: pattern!=regex path=path glob=glob type output_mode
		FetchURL: url!=url
		WebSearch: query!=text
	`,
	// Names: github github/docs, hooks-reference.md at 05da5bc3, in both formats. Parameters: npm @github/copilot-sdk
	// 1.0.14, docs/examples.md; "url" is assumed.
	"copilot": `
		bash: command!=command description=text
		powershell: command!=command description=text
		Bash: command!=command description=text
		view: path=path
		create: path=path
		edit: path=path
		Read: path=path
		Write: path=path
		Edit: path=path
		glob: pattern=glob path=path
		Glob: pattern=glob path=path
		grep: pattern=regex path=path
		Grep: pattern=regex path=path
		web_fetch: url=url
		WebFetch: url=url
	`,
	// github microsoft/vscode-copilot-chat, package.json at 83b86539; the names that models see, and those of
	// run_in_terminal and read_file, are from third parties; editFiles: hooks.md of microsoft/vscode-docs.
	"vscode": `
		run_in_terminal: command!=command explanation=text goal=text
		read_file: filePath!=path
		create_file: filePath!=path content=text
		create_directory: dirPath!=path
		insert_edit_into_file: filePath!=path explanation=text code=text
		replace_string_in_file: filePath!=path oldString=text newString=text
		multi_replace_string_in_file: explanation=text replacements[].filePath!=path replacements[].oldString=text replacements[].newString=text
		edit_notebook_file: filePath!=path cellId newCode language editType
		run_notebook_cell: filePath!=path cellId reason=text continueOnError
		list_dir: path=path
		apply_patch: input=patch
		fetch_webpage: urls[]=url query=text
		editFiles: files[]=path
	`,
	// From third parties, as the format of the hooks. Shell, Read and Write are also the names that the decoder gives to
	// the events of one sort of tool.
	"cursor": `
		Shell: command!=command cwd=path
		Read: file_path=path
		Write: file_path=path
		Delete: file_path=path
	`,
	// The decoder names these tools; docs.windsurf.com has their parameters.
	"windsurf": `
		run_command: command_line!=command cwd=path
		read_code: file_path!=path
		write_code: file_path!=path
	`,
	// github cline/cline at 21cb8d25: sdk/packages/core/src/extensions/tools/schemas.ts, and for the extension
	// apps/vscode/src/core/hooks/templates.ts; its parameters are texts.
	"cline": `
		run_commands: commands[]!=command
		read_files: files[].path=path files[].start_line files[].end_line file_paths[]=path paths[]=path
		editor: path!=path old_text new_text=text insert_line
		apply_patch: input!=patch
		search_codebase: queries[]!=regex
		fetch_web_content: requests[].url!=url requests[].prompt=text
		execute_command: command!=command requires_approval=text
		read_file: path!=path
		write_to_file: path!=path content=text
		replace_in_file: path!=path diff=text
		list_files: path!=path recursive=text
		search_files: path!=path regex=regex file_pattern=glob
		web_fetch: url!=url prompt=text
	`,
	// github block/goose, hooks.md at 0825b570.
	"goose": `
		developer__shell: command!=command timeout_secs
		developer__write: path!=path content=text
		developer__edit: path!=path before=text after=text
		developer__tree: path=path depth
		developer__read_image: source!=path crop
	`,
	// From third parties: the names of 2.x and of 3.x.
	"kiro": `
		execute_bash: command!=command summary=text
		shell: command!=command summary=text
		fs_read: operations[].path=path operations[].mode
		read: operations[].path=path operations[].mode
		fs_write: path!=path command=verb file_text=text
		write: path!=path command=verb file_text=text
		web_fetch: url!=url
	`,
	// npm @sourcegraph/amp-sdk 0.1.0, README.md (Bash, Read); the others from third parties.
	"amp": `
		Bash: cmd!=command cwd=path
		Read: path!=path
		create_file: path!=path content=text
		edit_file: path!=path old_str=text new_str=text
		read_web_page: url!=url
	`,
	// OpenCode: from third parties. Pi: npm @earendil-works/pi-coding-agent 0.74.2, dist/core/tools. OpenClaw: npm
	// openclaw 2026.9.6, docs/tools. Tools of the same name are one here.
	"opencode": `
		bash: command!=command workdir=path description=text timeout
		exec: command!=command workdir=path env yieldMs background timeoutSeconds pty host ask node elevated
		read: path=path filePath=path offset limit
		write: path=path filePath=path content=text
		edit: path=path filePath=path oldString=text newString=text edits[].oldText=text edits[].newText=text
		apply_patch: input=patch patchText=patch
		list: path=path
		ls: path=path limit
		glob: pattern=glob path=path
		find: pattern=glob path=path limit
		grep: pattern=regex path=path glob=glob include=glob
		webfetch: url!=url format
		web_fetch: url!=url
	`,
	// From third parties; of the parameters, CommandLine alone was seen live. send_command_input types into a terminal.
	"antigravity": `
		run_command: CommandLine!=command Cwd=path
		send_command_input:
		view_file: AbsolutePath=path
		write_to_file: TargetFile=path CodeContent=text
		replace_file_content: TargetFile=path
		multi_replace_file_content: TargetFile=path
		list_dir: DirectoryPath=path
		read_url_content: Url=url
	`,
	// From third parties.
	"droid": `
		Execute: command!=command timeout riskLevel riskLevelReason=text
		Read: file_path!=path offset limit
		Create: file_path!=path content=text
		Edit: file_path!=path old_str=text new_str=text
		ApplyPatch: input=patch
		LS: directory_path=path
		Glob: folder=path
		Grep: path=path pattern=regex
		FetchUrl: url!=url
	`,
}
