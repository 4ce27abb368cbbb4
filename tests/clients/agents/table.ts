import type { ProgramId } from '../../../src-preload/contract/programs.ts'
import type { ScriptedCall } from './scripted.ts'

/** The model of the sandbox that all set-ups name. It has tools and sees images. */
export const model = 'guide'

/** What a coding agent is put through, in order. The columns of the table of results. */
export const trials = [
  'task',
  'image',
  'compaction',
  'ctrl-c',
  '503',
  'cut',
  'no-end',
  '401',
  '402',
  'many-tools',
  'studio-tools',
] as const
export type Trial = (typeof trials)[number]

/** The tools of a coding agent, as calls with its own names. Paths are absolute. */
export interface Tools {
  read(path: string): ScriptedCall
  run(command: string): ScriptedCall
  edit(path: string, old: string, text: string): ScriptedCall
  write(path: string, text: string): ScriptedCall
  /** Null: it has no tool that reads an image. */
  image: ((path: string) => ScriptedCall) | null
}

/** One coding agent: its package, how it is started, and its tools. */
export interface Agent {
  /** Id of the program (src-preload/contract/programs.ts). */
  setup: ProgramId
  package: string
  version: string
  bin: string
  /** The API by which it asks. */
  api: 'chat completions' | 'Responses' | 'Messages' | 'Gemini'
  /** Arguments appended to the line that starts the coding agent: one turn without a terminal, with tools allowed. */
  arguments(prompt: string): string[]
  /** Arguments of one more turn in the same conversation. Without it a conversation has one turn here. */
  again?(prompt: string): string[]
  tools: Tools
  /** For a coding agent that searches for tools: the call that finds `tool`, and the arguments that add MCP servers from `file`. */
  manyTools?: { search(tool: string): ScriptedCall; arguments(file: string): string[] }
  /**
   * For a coding agent that searches for tools: the call that finds a tool of the studio, and the one that calls it then, if it is not
   * among the tools of the next request.
   */
  studioTool?: (name: string, args: Record<string, unknown>) => readonly [search: ScriptedCall, call?: ScriptedCall]
  /** Files beside the set-up, by path from HOME. */
  files?: Record<string, string>
  /** Switches telemetry and updates off, when the coding agent has such settings. */
  env?: Record<string, string>
  /** Trials that it can't pass, and why. A trial that passes although it is listed here fails, so that the list stays true. */
  cannot?: Partial<Record<Trial, string>>
}

/** Tools with these parameter names, which several coding agents share. */
const filePath = (read: string, edit: string, write: string): Pick<Tools, 'read' | 'edit' | 'write' | 'image'> => ({
  read: (file_path) => [read, { file_path }],
  image: (file_path) => [read, { file_path }],
  edit: (file_path, old_string, new_string) => [edit, { file_path, old_string, new_string }],
  write: (file_path, content) => [write, { file_path, content }],
})

/** The tools of opencode and Kilo. */
const opencodeTools: Tools = {
  read: (path) => ['read', { filePath: path }],
  image: (path) => ['read', { filePath: path }],
  run: (command) => ['bash', { command, description: 'Runs a command' }],
  edit: (path, oldString, newString) => ['edit', { filePath: path, oldString, newString }],
  write: (path, content) => ['write', { filePath: path, content }],
}

/** Finds a tool by its exact name, as Claude Code and Droid do. */
const toolSearch = (tool: string): ScriptedCall => ['ToolSearch', { query: `select:${tool}`, max_results: 5 }]

/** Chooses our provider and model, for coding agents whose configuration can't. */
const ourModel = ['--provider', 'inference-studio', '--model', model]

const patch = (lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')

export const agents: Agent[] = [
  {
    setup: 'codex',
    package: '@openai/codex',
    version: '0.171.0',
    bin: 'codex',
    api: 'Responses',
    // Its own sandbox needs kernel features that containers lack. HOME and the working folder are temporary.
    arguments: (prompt) => ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    tools: {
      read: (path) => ['exec_command', { cmd: `cat ${path}`, max_output_tokens: 30_000 }],
      run: (cmd) => ['exec_command', { cmd }],
      image: (path) => ['view_image', { path }],
      edit: (path, old, text) => [
        'apply_patch',
        { input: patch([`*** Update File: ${path}`, '@@', `-${old}`, `+${text}`]) },
      ],
      write: (path, text) => ['apply_patch', { input: patch([`*** Add File: ${path}`, `+${text}`]) }],
    },
    studioTool: (name) => [['tool_search', { query: name.replace('_', ' ') }]],
  },
  {
    setup: 'claude-code',
    package: '@anthropic-ai/claude-code',
    version: '2.1.332',
    bin: 'claude',
    api: 'Messages',
    arguments: (prompt) => [
      '--print',
      prompt,
      '--permission-mode',
      'acceptEdits',
      '--allowedTools',
      'Read',
      'Edit',
      'Write',
      'Bash',
      'mcp__archive',
      'mcp__inference-studio',
    ],
    tools: {
      ...filePath('Read', 'Edit', 'Write'),
      run: (command) => ['Bash', { command, description: 'Runs a command' }],
    },
    manyTools: {
      search: toolSearch,
      arguments: (file) => ['--mcp-config', file],
    },
    studioTool: (name) => [toolSearch(`mcp__inference-studio__${name}`)],
    env: { DISABLE_AUTOUPDATER: '1', DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1' },
  },
  {
    setup: 'copilot-cli',
    package: '@github/copilot',
    version: '1.0.102',
    bin: 'copilot',
    api: 'chat completions',
    arguments: (prompt) => [
      '--model',
      `inference-studio/${model}`,
      '--allow-all-tools',
      '--allow-all-paths',
      '--prompt',
      prompt,
    ],
    tools: {
      read: (path) => ['view', { path, forceReadLargeFiles: true }],
      image: (path) => ['view', { path }],
      run: (command) => ['bash', { command, description: 'Runs a command' }],
      edit: (path, old_str, new_str) => ['edit', { path, old_str, new_str }],
      write: (path, file_text) => ['create', { path, file_text }],
    },
    env: { COPILOT_AUTO_UPDATE: 'false' },
    cannot: {
      cut: 'It sends a request again after every error in a stream, five times, and has no setting for that.',
      'no-end': 'It sends a request again after every error in a stream, five times, and has no setting for that.',
      '401': 'It takes a 401 for a failure of its own sign-in, and asks twice more.',
    },
  },
  {
    setup: 'gemini-cli',
    package: '@google/gemini-cli',
    version: '0.61.0',
    bin: 'gemini',
    api: 'Gemini',
    arguments: (prompt) => ['--yolo', '--skip-trust', '--prompt', prompt],
    tools: {
      read: (file_path) => ['read_file', { file_path }],
      image: (file_path) => ['read_file', { file_path }],
      run: (command) => ['run_shell_command', { command }],
      edit: (file_path, old_string, new_string) => [
        'replace',
        { file_path, old_string, new_string, instruction: 'Replace the line.' },
      ],
      write: (file_path, content) => ['write_file', { file_path, content }],
    },
  },
  {
    setup: 'opencode',
    package: 'opencode-ai',
    version: '1.18.33',
    bin: 'opencode',
    api: 'chat completions',
    arguments: (prompt) => ['run', prompt],
    again: (prompt) => ['run', '--continue', prompt],
    tools: opencodeTools,
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    },
  },
  {
    setup: 'kilo',
    package: '@kilocode/cli',
    version: '7.7.7',
    bin: 'kilo',
    api: 'chat completions',
    arguments: (prompt) => ['run', '--auto', prompt],
    again: (prompt) => ['run', '--auto', '--continue', prompt],
    tools: opencodeTools,
    env: {
      KILO_TELEMETRY_LEVEL: 'off',
      KILO_DISABLE_AUTOUPDATE: '1',
      KILO_DISABLE_MODELS_FETCH: '1',
      KILO_DISABLE_LSP_DOWNLOAD: '1',
      KILO_DISABLE_DEFAULT_PLUGINS: '1',
      KILO_DISABLE_SESSION_INGEST: '1',
      KILO_DISABLE_PRESENCE: '1',
      KILO_DISABLE_SHARE: '1',
      KILO_DISABLE_CODEBASE_INDEXING: '1',
    },
  },
  {
    setup: 'qwen-code',
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    bin: 'qwen',
    api: 'chat completions',
    arguments: (prompt) => ['--yolo', '--prompt', prompt],
    again: (prompt) => ['--yolo', '--continue', '--prompt', prompt],
    tools: {
      ...filePath('read_file', 'edit', 'write_file'),
      run: (command) => ['run_shell_command', { command, is_background: false }],
    },
    // It calls what it has found through another tool.
    studioTool: (name, args) => [
      ['tool_search', { query: `select:mcp__inference-studio__${name}` }],
      ['tool_call', { name: `mcp__inference-studio__${name}`, arguments: args }],
    ],
    files: { 'work/.qwen/settings.json': JSON.stringify({ privacy: { usageStatisticsEnabled: false } }) },
    env: { QWEN_CODE_SUPPRESS_YOLO_WARNING: '1' },
  },
  {
    setup: 'cline',
    package: 'cline',
    version: '3.0.65',
    bin: 'cline',
    api: 'chat completions',
    arguments: (prompt) => [prompt],
    tools: {
      read: (path) => ['read_files', { files: [{ path }] }],
      image: (path) => ['read_files', { files: [{ path }] }],
      run: (command) => ['run_commands', { commands: [command] }],
      edit: (path, old_text, new_text) => ['editor', { path, old_text, new_text }],
      write: (path, new_text) => ['editor', { path, new_text }],
    },
    env: { CLINE_NO_AUTO_UPDATE: '1' },
  },
  {
    setup: 'pi',
    package: '@earendil-works/pi-coding-agent',
    version: '1.6.0',
    bin: 'pi',
    api: 'chat completions',
    arguments: (prompt) => [...ourModel, '--print', prompt],
    again: (prompt) => [...ourModel, '--continue', '--print', prompt],
    tools: {
      read: (path) => ['read', { path }],
      image: (path) => ['read', { path }],
      run: (command) => ['bash', { command }],
      edit: (path, oldText, newText) => ['edit', { path, edits: [{ oldText, newText }] }],
      write: (path, content) => ['write', { path, content }],
    },
    env: { PI_TELEMETRY: '0', PI_SKIP_VERSION_CHECK: '1', PI_OFFLINE: '1' },
  },
  {
    setup: 'nanocoder',
    package: '@nanocollective/nanocoder',
    version: '1.30.0',
    bin: 'nanocoder',
    api: 'chat completions',
    arguments: (prompt) => [...ourModel, '--mode', 'yolo', '--trust-directory', '--plain', 'run', prompt],
    tools: {
      read: (path) => ['read_file', { path }],
      image: (path) => ['read_file', { path }],
      run: (command) => ['execute_bash', { command }],
      edit: (path, old_str, new_str) => ['string_replace', { path, old_str, new_str }],
      write: (path, content) => ['write_file', { path, content }],
    },
    cannot: {
      image: 'Its tools read text. It takes images from the clipboard in its own window.',
      compaction:
        'It estimates the conversation itself and shortens each read, so the files of the trial do not fill its context.',
    },
  },
  {
    setup: 'continue',
    package: '@continuedev/cli',
    version: '1.5.47',
    bin: 'cn',
    api: 'chat completions',
    arguments: (prompt) => ['--auto', '--print', prompt],
    again: (prompt) => ['--auto', '--resume', '--print', prompt],
    tools: {
      read: (filepath) => ['Read', { filepath }],
      image: (filepath) => ['Read', { filepath }],
      run: (command) => ['Bash', { command }],
      edit: (file_path, old_string, new_string) => ['Edit', { file_path, old_string, new_string }],
      write: (filepath, content) => ['Write', { filepath, content }],
    },
    env: { CONTINUE_CLI_ENABLE_TELEMETRY: '0', CONTINUE_ALLOW_ANONYMOUS_TELEMETRY: '0' },
    cannot: { image: 'Its tools read text. It takes images in its own window.' },
  },
  {
    setup: 'kimi-code',
    package: '@moonshot-ai/kimi-code',
    version: '2.1.0',
    bin: 'kimi',
    api: 'chat completions',
    arguments: (prompt) => ['--prompt', prompt],
    again: (prompt) => ['--continue', '--prompt', prompt],
    tools: {
      read: (path) => ['Read', { path }],
      image: (path) => ['ReadMediaFile', { path }],
      run: (command) => ['Bash', { command }],
      edit: (path, old_string, new_string) => ['Edit', { path, old_string, new_string }],
      write: (path, content) => ['Write', { path, content }],
    },
  },
  {
    setup: 'droid',
    package: 'droid',
    version: '0.215.0',
    bin: 'droid',
    api: 'chat completions',
    arguments: (prompt) => ['exec', '--model', 'custom:inference-studio', '--skip-permissions-unsafe', prompt],
    tools: {
      read: (file_path) => ['Read', { file_path }],
      image: (file_path) => ['Read', { file_path }],
      run: (command) => ['Execute', { command, summary: 'Runs a command' }],
      edit: (file_path, old_str, new_str) => ['Edit', { file_path, old_str, new_str }],
      write: (file_path, content) => ['Create', { file_path, content }],
    },
    studioTool: (name) => [toolSearch(`inference-studio___${name}`)],
    cannot: {
      'ctrl-c': 'It ends itself first, which takes 6 s, and closes the connection then.',
      '503': 'It sends a request again after every failure but a 4xx, up to ten times, and no reply ends that.',
      cut: 'It sends a request again after every failure but a 4xx, five times, and no reply ends that.',
      'no-end': 'It sends a request again after every failure but a 4xx, five times, and no reply ends that.',
    },
  },
  // Its installation downloads the program from github.com. It runs only when github.com is reachable, and counts as "verified" only after
  // a run.
  {
    setup: 'crush',
    package: '@charmland/crush',
    version: '0.96.1',
    bin: 'crush',
    api: 'chat completions',
    arguments: (prompt) => ['run', '--quiet', prompt],
    tools: {
      ...filePath('view', 'edit', 'write'),
      run: (command) => ['bash', { command, description: 'Runs a command' }],
    },
    env: { CRUSH_DISABLE_METRICS: '1', CRUSH_DISABLE_PROVIDER_AUTO_UPDATE: '1' },
  },
]

/** Environment variables of every coding agent, which many of them read. */
export const quiet = { DO_NOT_TRACK: '1', NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1', TERM: 'dumb' }
