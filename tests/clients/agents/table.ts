/** One coding agent: its package, its unattended task, and the files of its folder. */
export interface Agent {
  /** Id of the set-up in src-renderer/features/proxy/setups. */
  setup: string
  package: string
  version: string
  bin: string
  /** Arguments appended to the line that starts the coding agent: one turn without a terminal, with tools allowed. */
  arguments(prompt: string): string[]
  /**
   * The tool that the model must call. The sandbox's `tool-caller` uses the name of a text parameter as its value, so `files` has files of
   * that name.
   */
  tool: string
  /** Files of its working folder by path. `word` must occur in the tool's result. */
  files(word: string): Record<string, string>
  /** Switches telemetry and updates off, when the coding agent has such settings. */
  env?: Record<string, string>
  /**
   * For a coding agent that does not speak chat completions: exact calls that read and edit the file `notes.txt`, which contains `word` and
   * afterwards `edited(word)`. The first reply has two calls. The sandbox's `tool-caller` makes them. Then follow the trials of a stop and of
   * broken replies.
   */
  script?: {
    /** `folder`: absolute path of its working folder. Groups of calls, one group for each reply. */
    calls(word: string, folder: string): [tool: string, args: Record<string, unknown>][][]
    /** The model that it asks for. The app's model map replaces it. Without it the set-up names the service's model. */
    asksFor?: string
  }
}

/** The content of `notes.txt` after the edit. */
export const edited = (word: string): string => `${word} was edited`

/**
 * For tools with a parameter for the first line. The `tool-caller` selects a line from 1 to 101, and repeats the result at 120 tokens per
 * second.
 */
const lines = (word: string): string => `${word}\n`.repeat(110)

export const agents: Agent[] = [
  {
    setup: 'codex',
    package: '@openai/codex',
    version: '0.171.0',
    bin: 'codex',
    // Its own sandbox needs kernel features that containers lack. HOME and the working folder are temporary.
    arguments: (prompt) => ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    tool: 'exec_command',
    files: (word) => ({ 'notes.txt': `${word}\n` }),
    script: {
      asksFor: 'gpt-*',
      calls: (word) => [
        [
          ['exec_command', { cmd: 'cat notes.txt' }],
          ['exec_command', { cmd: 'ls' }],
        ],
        [
          [
            'apply_patch',
            {
              input: `*** Begin Patch\n*** Update File: notes.txt\n@@\n-${word}\n+${edited(word)}\n*** End Patch`,
            },
          ],
        ],
        [['exec_command', { cmd: 'cat notes.txt' }]],
      ],
    },
  },
  {
    setup: 'claude-code',
    package: '@anthropic-ai/claude-code',
    version: '2.1.332',
    bin: 'claude',
    arguments: (prompt) => ['--print', prompt, '--permission-mode', 'acceptEdits', '--allowedTools', 'Read', 'Edit'],
    tool: 'Read',
    files: (word) => ({ 'notes.txt': `${word}\n`, 'other.txt': 'Nothing to change.\n' }),
    script: {
      calls: (word, folder) => [
        [
          ['Read', { file_path: `${folder}/notes.txt` }],
          ['Read', { file_path: `${folder}/other.txt` }],
        ],
        [['Edit', { file_path: `${folder}/notes.txt`, old_string: word, new_string: edited(word) }]],
        [['Read', { file_path: `${folder}/notes.txt` }]],
      ],
    },
    env: { DISABLE_AUTOUPDATER: '1', DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1' },
  },
  {
    setup: 'qwen-code',
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    bin: 'qwen',
    // Its first message names these tools, so the `tool-caller` would call them too.
    arguments: (prompt) => [
      '--yolo',
      ...['agent', 'skill', 'tool_call', 'tool_search', 'edit', 'glob'].flatMap((tool) => ['--exclude-tools', tool]),
      '--prompt',
      prompt,
    ],
    tool: 'grep_search',
    files: (word) => ({
      'path/glob': `pattern ${word}\n`,
      '.qwen/settings.json': JSON.stringify({ privacy: { usageStatisticsEnabled: false } }),
    }),
    env: { QWEN_CODE_SUPPRESS_YOLO_WARNING: '1' },
  },
  {
    setup: 'cline',
    package: 'cline',
    version: '3.0.65',
    bin: 'cline',
    arguments: (prompt) => [prompt],
    tool: 'search_codebase',
    files: (word) => ({ 'notes.txt': `queries ${word}\n` }),
    env: { CLINE_NO_AUTO_UPDATE: '1' },
  },
  {
    setup: 'opencode',
    package: 'opencode-ai',
    version: '1.18.33',
    bin: 'opencode',
    arguments: (prompt) => ['run', prompt],
    tool: 'read',
    files: (word) => ({ filePath: lines(word) }),
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
    arguments: (prompt) => ['run', '--auto', prompt],
    tool: 'read',
    files: (word) => ({ filePath: lines(word) }),
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
    setup: 'pi',
    package: '@earendil-works/pi-coding-agent',
    version: '0.87.1',
    bin: 'pi',
    arguments: (prompt) => ['--print', prompt],
    tool: 'read',
    files: (word) => ({ path: lines(word) }),
    env: { PI_TELEMETRY: '0', PI_SKIP_VERSION_CHECK: '1', PI_OFFLINE: '1' },
  },
  {
    setup: 'nanocoder',
    package: '@nanocollective/nanocoder',
    version: '1.30.0',
    bin: 'nanocoder',
    arguments: (prompt) => ['--mode', 'yolo', '--trust-directory', '--plain', 'run', prompt],
    tool: 'list_directory',
    files: (word) => ({ [`path/${word}`]: '' }),
  },
  {
    setup: 'continue',
    package: '@continuedev/cli',
    version: '1.5.47',
    bin: 'cn',
    arguments: (prompt) => ['--auto', '--print', prompt],
    tool: 'Read',
    files: (word) => ({ filepath: `${word}\n` }),
    env: { CONTINUE_CLI_ENABLE_TELEMETRY: '0', CONTINUE_ALLOW_ANONYMOUS_TELEMETRY: '0' },
  },
  // Its installation downloads the program from github.com. It runs only when github.com is reachable, and counts as "verified" only after
  // a run.
  {
    setup: 'crush',
    package: '@charmland/crush',
    version: '0.96.1',
    bin: 'crush',
    arguments: (prompt) => ['run', '--quiet', prompt],
    tool: 'view',
    files: (word) => ({ 'file path': lines(word) }),
    env: { CRUSH_DISABLE_METRICS: '1', CRUSH_DISABLE_PROVIDER_AUTO_UPDATE: '1' },
  },
]

/** Environment variables of every coding agent, which many of them read. */
export const quiet = { DO_NOT_TRACK: '1', NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1', TERM: 'dumb' }
