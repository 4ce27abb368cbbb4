import * as z from 'zod'
import { type SuggestedModelRule, suggestedModelRule } from './modelMap.ts'
import { id, instant, problem, problemOrNull, procedure, whole } from './problem.ts'
import { requestRow } from './requests.ts'

// A program is another product on this computer, such as a coding agent, that can use the local API. Connecting it writes entries of ours
// to its configuration file. A connected program uses the key of one app.

/** Programs with set-up texts, in display order. */
export const programIds = [
  'codex',
  'claude-code',
  'copilot-cli',
  'gemini-cli',
  'opencode',
  'kilo',
  'qwen-code',
  'cline',
  'pi',
  'nanocoder',
  'kimi-code',
  'droid',
  'crush',
  'aider',
  'goose',
  'continue',
  'zed',
  'vscode',
] as const
export const programId = z.enum(programIds)
export type ProgramId = z.infer<typeof programId>

/** What is fixed about a program. */
export interface ProgramInfo {
  /** Name of the product. */
  name: string
  /** Key of the places where it runs (`appSetups:where`), when its name does not say it. */
  where?: 'continue'
  kind: 'agent' | 'editor'
  /** The npm package; null when it has none. */
  npm: string | null
  /** True when a test runs a turn with exactly these entries. False: they are from the program's documentation. */
  verified: boolean
  /** Model map to offer for its app, in order. Empty for a program that is told its model. */
  modelMap: SuggestedModelRule[]
  /** Key of a note (`appSetups:notes`). */
  note?: (typeof programNotes)[number]
}

/** Keys of notes about programs (`appSetups:notes`). */
export const programNotes = ['codex', 'claudeCode', 'cline', 'droid', 'geminiCli', 'vscode'] as const

export const programInfos: Readonly<Record<ProgramId, ProgramInfo>> = {
  codex: {
    name: 'Codex CLI',
    kind: 'agent',
    npm: '@openai/codex',
    verified: true,
    // Codex edits files with apply_patch only for models that it knows. Other models of its list run JavaScript instead of tools.
    modelMap: [{ pattern: 'gpt-*', size: 'large' }],
    note: 'codex',
  },
  'claude-code': {
    name: 'Claude Code',
    kind: 'agent',
    npm: '@anthropic-ai/claude-code',
    verified: true,
    modelMap: [
      { pattern: '*-haiku-*', size: 'small' },
      { pattern: 'claude-*', size: 'large' },
    ],
    note: 'claudeCode',
  },
  'copilot-cli': {
    name: 'Copilot CLI',
    kind: 'agent',
    npm: '@github/copilot',
    verified: true,
    modelMap: [],
  },
  'gemini-cli': {
    name: 'Gemini CLI',
    kind: 'agent',
    npm: '@google/gemini-cli',
    verified: true,
    modelMap: [{ pattern: 'gemini-*', size: 'large' }],
    note: 'geminiCli',
  },
  opencode: {
    name: 'opencode',
    kind: 'agent',
    npm: 'opencode-ai',
    verified: true,
    modelMap: [],
  },
  kilo: {
    name: 'Kilo Code',
    kind: 'agent',
    npm: '@kilocode/cli',
    verified: true,
    modelMap: [],
  },
  'qwen-code': {
    name: 'Qwen Code',
    kind: 'agent',
    npm: '@qwen-code/qwen-code',
    verified: true,
    modelMap: [],
  },
  cline: {
    name: 'Cline',
    kind: 'agent',
    npm: 'cline',
    verified: true,
    modelMap: [],
    note: 'cline',
  },
  pi: {
    name: 'Pi',
    kind: 'agent',
    npm: '@earendil-works/pi-coding-agent',
    verified: true,
    modelMap: [],
  },
  nanocoder: {
    name: 'Nanocoder',
    kind: 'agent',
    npm: '@nanocollective/nanocoder',
    verified: true,
    modelMap: [],
  },
  'kimi-code': {
    name: 'Kimi Code',
    kind: 'agent',
    npm: '@moonshot-ai/kimi-code',
    verified: true,
    modelMap: [],
  },
  droid: {
    name: 'Droid',
    kind: 'agent',
    npm: 'droid',
    verified: true,
    modelMap: [],
    note: 'droid',
  },
  crush: {
    name: 'Crush',
    kind: 'agent',
    npm: '@charmland/crush',
    verified: false,
    modelMap: [],
  },
  aider: {
    name: 'Aider',
    kind: 'agent',
    npm: null,
    verified: false,
    modelMap: [],
  },
  goose: {
    name: 'goose',
    kind: 'agent',
    npm: null,
    verified: false,
    modelMap: [],
  },
  continue: {
    name: 'Continue',
    where: 'continue',
    kind: 'editor',
    npm: '@continuedev/cli',
    verified: true,
    modelMap: [],
  },
  zed: {
    name: 'Zed',
    kind: 'editor',
    npm: null,
    verified: false,
    modelMap: [],
  },
  vscode: {
    name: 'VS Code',
    kind: 'editor',
    npm: null,
    verified: false,
    modelMap: [],
    note: 'vscode',
  },
}

/** Keys of the sentences that say what to do with a text (`appSetups:steps`). */
export const stepAbouts = [
  'envFile',
  'eachTerminal',
  'mergeFile',
  'mergeList',
  'mergeSizes',
  'orRun',
  'run',
  'runChoose',
  'runParts',
  'tomlFile',
  'zedKey',
] as const

/** A text for a person to paste, with what to do with it. */
export const programStep = z.object({
  about: z.enum(stepAbouts),
  language: z.enum(['sh', 'json', 'toml', 'yaml']),
  /** File for the text, such as `~/.qwen/settings.json`; null: for a terminal. */
  file: z.string().nullable(),
  text: z.string(),
})
export type ProgramStep = z.infer<typeof programStep>

/** A program, and what was found of it on this computer. It is never started to find out. */
export const program = z.object({
  id: programId,
  /** Name of the product. */
  name: z.string(),
  /** Key of the places where it runs (`appSetups:where`), when its name does not say it. */
  where: z.enum(['continue']).nullable(),
  kind: z.enum(['agent', 'editor']),
  /** The npm package; null when it has none. */
  npm: z.string().nullable(),
  /** True when a test runs a turn with exactly these entries. False: they are from the program's documentation. */
  verified: z.boolean(),
  /** Model map to offer for its app, in order. Empty for a program that is told its model. */
  modelMap: z.array(suggestedModelRule),
  /** Whether its command, its own folder or its configuration file exists. */
  installed: z.boolean(),
  /** Absolute path of its command; null when it is not on the PATH or in a known place. */
  command: z.string().nullable(),
  /** Absolute path of the file that Connect writes; null for a program that Connect can't set up, which has steps only. */
  file: z.string().nullable(),
  /** Whether that file exists. */
  hasFile: z.boolean(),
  /** Where the key is after Connect (`appSetups:keyPlaces`): in the file, or still to be entered by the person. */
  keyPlace: z.enum(['file', 'environment', 'secretStore']),
  /** When a change of the file takes effect (`appSetups:takesEffect`): at once, in its next session, or after it is restarted. */
  takesEffect: z.enum(['atOnce', 'nextSession', 'restart']),
  /**
   * What has precedence over the file: environment variables by name, and files in a project folder by path.
   * `isSet`: the variable is set where Inference Studio was started, which tells nothing about other terminals.
   */
  overrides: z.array(z.object({ kind: z.enum(['variable', 'projectFile']), name: z.string(), isSet: z.boolean() })),
  /** Key of a note (`appSetups:notes`). */
  note: z.enum(programNotes).nullable(),
  /** Whether Connect can add the studio's MCP server. */
  canUseTools: z.boolean(),
  /** Whether `try` can run it: it has a non-interactive mode, and its command was found. */
  canTry: z.boolean(),
})
export type Program = z.infer<typeof program>

/**
 * `connected`: all entries are there. `linesGone`: some of them were changed or removed. `otherAddress`: the address is not that of the
 * local API now. `keyReplaced`: the app has another key, or was revoked. `fileGone`, `unreadable` (see `problem`) and `programGone`
 * (neither its command nor its folder is there) say the rest.
 */
export const programState = z.enum([
  'connected',
  'linesGone',
  'otherAddress',
  'keyReplaced',
  'fileGone',
  'unreadable',
  'programGone',
])
export type ProgramState = z.infer<typeof programState>

/** A program that was connected. At most one for each file. */
export const connectedProgram = z.object({
  id,
  program: programId,
  /** Absolute path of the file, symbolic links resolved. */
  file: z.string(),
  appId: z.string(),
  /** Model of the service that its entries name. */
  model: z.string(),
  /** Whether Connect added the studio's MCP server. */
  tools: z.boolean(),
  connectedAt: instant,
  state: programState,
  /** Why the file can't be read, in state `unreadable`. */
  problem: problemOrNull,
})
export type ConnectedProgram = z.infer<typeof connectedProgram>

/** What a change would do to the files of a program. */
export const filePreview = z.object({
  /** Absolute path of the first file, symbolic links resolved. */
  file: z.string(),
  exists: z.boolean(),
  /** Unified diffs of all files, with three lines of context. Keys are masked. Empty: nothing would change. */
  diff: z.string(),
  /** Identifies the state of the files. `connect` and `disconnect` refuse when one has changed since. */
  seen: z.string(),
})
export type FilePreview = z.infer<typeof filePreview>

const toConnect = z.object({
  program: programId,
  appId: z.string(),
  model: z.string().min(1).max(300),
  /** Also adds the studio's MCP server, and lets the app use tools. For a program that takes none it has no effect. */
  tools: z.boolean().default(false),
})

/** The end of a trial run of a program. */
export const programTrial = z.object({
  /** The command line that ran, as one would type it. */
  command: z.string(),
  /** Null: it was ended by the deadline or a signal. */
  exitCode: whole.nullable(),
  ended: z.enum(['exited', 'deadline']),
  /** Its standard output and error in the order of arrival, at most 64 kB, keys masked. */
  output: z.string(),
  /** Requests of its app that arrived at the local API meanwhile, oldest first, at most 100. */
  requests: z.array(requestRow),
})
export type ProgramTrial = z.infer<typeof programTrial>

export const programsProcedures = {
  /** Looks for all programs, and at the files of the connected ones. Ask again after each change, and when the window gets the focus. */
  list: procedure.output(z.object({ programs: z.array(program), connected: z.array(connectedProgram) })),
  /**
   * The texts for a person who sets up the program by hand: the same entries that Connect writes. `key` and `model` may be placeholders.
   * `baseUrl` ends in `/v1`.
   */
  steps: procedure
    .input(
      z.object({
        program: programId,
        baseUrl: z.string().max(300),
        key: z.string().max(300),
        model: z.string().max(300),
        tools: z.boolean().default(false),
      }),
    )
    .output(z.object({ steps: z.array(programStep) })),
  /** What `connect` would change. Writes nothing. Needs no key: its place is masked. */
  preview: procedure.input(toConnect.omit({ appId: true })).output(filePreview),
  /**
   * Writes the entries to the program's file. The file before the first connection is kept until `disconnect`.
   * `key`: the app's key, which is in memory right after it was created or replaced. Null: the key that the file has already.
   * Fails with `bad_input` when the file can't be edited safely, or has changed since `seen`; `not_writable`, `disk_full`.
   */
  connect: procedure
    .input(toConnect.extend({ key: z.string().min(1).max(300).nullable(), seen: z.string() }))
    .output(connectedProgram),
  /** What `disconnect` would change. */
  previewDisconnect: procedure.input(z.object({ id })).output(filePreview),
  /**
   * Takes the entries out of the file and restores the values that they replaced. A file that `connect` created and that has nothing else
   * is deleted. `left`: entries that somebody changed since, which stay, as paths such as `env.ANTHROPIC_MODEL`.
   */
  disconnect: procedure.input(z.object({ id, seen: z.string() })).output(z.object({ left: z.array(z.string()) })),
  /**
   * Writes the present address of the local API to the files of all connected programs, or those of one app; and with `key` the new key of
   * that app. Files whose entries are gone stay as they are and are reported in `failed`.
   */
  rewrite: procedure
    .input(z.object({ appId: z.string().nullable(), key: z.string().min(1).max(300).nullable() }))
    .output(z.object({ written: z.array(id), failed: z.array(z.object({ id, problem })) })),
  /**
   * Runs the connected program once with a harmless prompt in an empty temporary folder. Takes up to 120 s. Cancelling the call ends it.
   * Only ever called by a person's click: the program runs with all rights of the person.
   */
  try: procedure.input(z.object({ id })).output(programTrial),
}
