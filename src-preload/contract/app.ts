import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { keepRules } from './keepRules.ts'
import { noteCode } from './note.ts'
import { instant, problemOrNull, procedure, whole } from './problem.ts'
import { refusal, secretBeginning } from './requests.ts'

/** A connection. Profiles of kind `sandbox` have a base URL only while the sandbox runs. */
export const profile = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['sandbox', 'service']),
  /** Normalised base URL, without `/v1` and without a trailing slash. */
  baseUrl: z.string(),
  /** Where the API key is stored. `none`: the key must be entered again. `unneeded`: the service asks for none. */
  keyKept: z.enum(['keychain', 'session', 'environment', 'sandbox', 'none', 'unneeded']),
})
export type Profile = z.infer<typeof profile>

/** The service is unreachable. Stored data stays readable. */
export const offline = z.object({
  /** When the first attempt failed. */
  since: instant,
  /** Time of the next automatic check; null while a check runs. */
  nextCheckAt: instant.nullable(),
})
export type Offline = z.infer<typeof offline>

/** A stored connection. */
export const savedProfile = profile.extend({
  /** The connection in use, also while it is offline. */
  active: z.boolean(),
  /** Plain http to another computer was allowed explicitly. */
  allowInsecure: z.boolean(),
  /** Id of the last known account of the connection, or null. */
  accountId: z.string().nullable(),
})
export type SavedProfile = z.infer<typeof savedProfile>

export const connection = z.object({
  /** `none`: first run. `checking`: being tested. `connected`: the last test succeeded. `failed`: see `problem`. */
  state: z.enum(['none', 'checking', 'connected', 'failed']),
  profile: profile.nullable(),
  problem: problemOrNull,
  checkedAt: instant.nullable(),
  /** Absent or null: the service is not known to be unreachable. Stays set during the next test of the connection. */
  offline: offline.nullable().optional(),
})
export type Connection = z.infer<typeof connection>

export const proxyState = z.object({
  /** `off`: switched off. `waiting`: on, but without a connection. `failed`: see `problem`. */
  state: z.enum(['on', 'off', 'waiting', 'failed']),
  /** Such as `http://127.0.0.1:8787/v1`; null while the local API does not listen. */
  baseUrl: z.string().nullable(),
  port: whole.nullable(),
  /** The configured port. Differs from `port` when the configured port was in use. */
  wantedPort: whole,
  /** Number of apps that are not revoked. */
  apps: whole,
  /** Number of running requests. */
  active: whole,
  /** Requests relayed and refused since start. */
  relayed: whole,
  refused: whole,
  /** Those of the refused ones that came from callers without a valid app key, and when the first one came. */
  refusedUnknown: z.object({ count: whole, since: instant.nullable() }),
  /** Requests waiting in the scheduler now, those of the studio included. */
  waiting: whole,
  /** End of the pause that the service requested with `Retry-After`, or null. */
  heldUntil: instant.nullable(),
  /** What unknown callers did since start, newest first, at most 50. */
  refusals: z.array(refusal),
  problem: problemOrNull,
  /** Ollama's port, or null while it is switched off. */
  ollama: z
    .object({
      /** Id or name of the app as which its requests count. */
      app: z.string(),
      /** Such as `http://127.0.0.1:11434`; null while nothing listens there. */
      baseUrl: z.string().nullable(),
      /** Why it does not listen, or refuses all requests. */
      problem: problemOrNull,
    })
    .nullable(),
})
export type ProxyState = z.infer<typeof proxyState>

/**
 * The general minute bucket, from response headers or the rate-limit status, whichever is newer. Any figure may be
 * unknown.
 */
export const minuteBucket = z.object({
  limit: z.number().nullable(),
  remaining: z.number().nullable(),
  resetSeconds: z.number().nullable(),
  banned: z.boolean(),
  bannedUntil: z.string().nullable(),
  asOf: instant,
})
export type MinuteBucket = z.infer<typeof minuteBucket>

/** An action on a selected text. `{{selection}}` in the prompt is the text, and `{{language}}` the language of the window. */
export const textAction = z.object({
  /** Id of a built-in action, such as `translate`, or a random one. */
  id: z.string().min(1).max(100),
  /** Empty: the name of the built-in action, in the language of the window. */
  name: z.string().max(60),
  prompt: z.string().min(1).max(20_000),
})
export type TextAction = z.infer<typeof textAction>

/** How many messages a person sends before they know the key. */
export const hintedMessages = 3

export const settings = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  fontSize: z.enum(['small', 'normal', 'large', 'largest']),
  density: z.enum(['comfortable', 'compact']),
  /** Key that sends from a field of several lines. `mod-enter`: Ctrl+Enter, or ⌘+Enter on macOS. */
  sendKey: z.enum(['enter', 'mod-enter']),
  /** How many messages the person has sent, at most `hintedMessages`: so long, the composer says which key sends. */
  sentMessages: z.number().int().min(0).max(hintedMessages),
  proxyEnabled: z.boolean(),
  proxyPort: z.number().int().min(0).max(65_535),
  /** Also listen on ::1. */
  proxyIpv6: z.boolean(),
  /**
   * Exact origins of web pages or extensions that may use the local API with an app key, such as
   * `http://localhost:3000`.
   */
  proxyOrigins: z.array(z.string().max(300)).max(50),
  /** Id of the app as which requests to Ollama's port count, without a key; null: do not listen there. The app must have a budget. */
  ollamaApp: z.string().max(100).nullable(),
  /** Serve Prometheus metrics at `/metrics` of the web host. */
  metrics: z.boolean(),
  /** Stored bodies are deleted after this many days. */
  bodyDays: z.number().int().min(1).max(365),
  /** Rows of the request log are deleted after this many days; null: never. Daily totals stay. */
  logDays: z.number().int().min(1).max(3650).nullable(),
  /** The chat model chosen last; exact id. */
  chatModel: z.string().nullable(),
  /** Model of new chats; null: the model chosen last. A folder may override it. */
  newChatModel: z.string().max(300).nullable(),
  /** Instructions of new chats, or empty. A folder may override them. */
  newChatInstructions: z.string().max(100_000),
  /** Model that writes the titles of chats; null: titles are the first words of a chat. */
  titleModel: z.string().max(300).nullable(),
  /** Model of text actions; null: the model of new chats. */
  textActionModel: z.string().max(300).nullable(),
  /** Actions on selected text, in the order of the menu. Null: the built-in ones, unchanged. */
  textActions: z.array(textAction).max(50).nullable(),
  /** Show the actions beside a selected text. */
  textActionToolbar: z.boolean(),
  /** Store bodies of chat requests like those of an app: capped, without secrets, for `bodyDays`. */
  chatBodies: z.boolean(),
  /** Beginnings of the person's own keys, which are removed from bodies before they are stored, like those of known services. */
  secretBeginnings: z.array(secretBeginning).max(50),
  /** Show `<think>…</think>` at the start of a reply as thinking, apart from the answer. */
  thinkTags: z.boolean(),
  /** Announce a reply to screen readers sentence by sentence while it arrives, and not once when it is complete. */
  readSentences: z.boolean(),
  /** Rounds of tool calls before the person must continue. */
  toolRounds: z.number().int().min(1).max(100),
  /** Changed keyboard shortcuts by command id; an empty text removes the shortcut. */
  shortcuts: z.record(z.string().max(100), z.string().max(100)),
  /** Tag of a language that has texts, such as `pt-BR`, or `system`. Any other counts as `system`. */
  language: z.string().max(20),
  /** What closing the last window of the desktop application does. `ask`: not chosen yet. */
  closeAction: z.enum(['ask', 'background', 'quit']),
  /** Start the desktop application at login, without a window. */
  openAtLogin: z.boolean(),
  /** Check spelling on Windows and Linux, whose dictionaries Chromium downloads. macOS checks by itself. */
  spellcheck: z.boolean(),
  /** Look for a new version of the desktop application once a day, and install it when the application quits. */
  checkForUpdates: z.boolean(),
  /** Global shortcut of the quick prompt in the desktop application, such as `Alt+Shift+Space`. Empty: none. */
  quickShortcut: z.string().max(100),
  /** Folder for the sync with other computers; null: none was used yet. */
  syncFolder: z.string().min(1).max(4096).nullable(),
  /** Sync at the start, every `syncMinutes`, and when changes have settled. */
  syncAutomatic: z.boolean(),
  syncMinutes: z.number().int().min(5).max(1440),
  /** Folder for automatic backups; null: none was used yet. */
  backupFolder: z.string().min(1).max(4096).nullable(),
  /** Write a compressed backup to `backupFolder` once a day, and delete those that `backupKeep` does not keep. */
  backupAutomatic: z.boolean(),
  backupKeep: keepRules,
  /** Voice for reading aloud; null is the default of the service. */
  voice: z.string().max(100).nullable(),
})
export type Settings = z.infer<typeof settings>

export const updateState = z.object({
  /**
   * `off`: the setting is off. `idle`: not checked in this run. `current`: no newer version. `available`: to be installed by the package
   * manager. `ready`: downloaded; installed when the application quits. `failed`: see `message`.
   */
  state: z.enum(['off', 'idle', 'checking', 'current', 'available', 'downloading', 'ready', 'failed']),
  /** The newer version, or null. */
  version: z.string().nullable(),
  message: z.string().nullable(),
})
export type UpdateState = z.infer<typeof updateState>

export const appState = z.object({
  host: z.enum(['desktop', 'web']),
  version: z.string(),
  dataDir: z.string(),
  connection,
  /** Sorted by name, with the temporary connection of this run. */
  profiles: z.array(savedProfile),
  keychain: z.object({
    available: z.boolean(),
    reason: z.string().nullable(),
    /** A file in place of the keychain of the system, which the person has chosen. Absent: the keychain. */
    keyFile: z.object({ path: z.string(), isEncrypted: z.boolean() }).optional(),
  }),
  proxy: proxyState,
  bucket: minuteBucket.nullable(),
  /** Why the databases refuse writes now. Absent or null: they accept them. */
  storage: problemOrNull.optional(),
  /** Updates of the desktop application. Absent or null: this program has no update feed. */
  updates: updateState.nullable().optional(),
  settings,
})
export type AppState = z.infer<typeof appState>

/** One result of a check of this installation. */
export const installationCheck = z.object({
  /** For programs, such as `documents`. */
  name: z.string(),
  /** For people, in English like `detail` and `action`, so that the list can be sent to the developers. */
  label: z.string(),
  /** `skipped`: this computer does not have it, or another check failed that it needs. */
  status: z.enum(['ok', 'failed', 'skipped']),
  /** What was seen, or the reason. */
  detail: z.string(),
  /** What to do. Null when it is ok. */
  action: z.string().nullable(),
  /** How long it took, ms. */
  ms: whole,
  /** Codes of the texts, to show them in the person’s language. Null: the message of an error. */
  codes: z.object({ label: noteCode, detail: noteCode, action: noteCode }),
})
export type InstallationCheck = z.infer<typeof installationCheck>

export const app = {
  /** The whole state, again after each change, at most 20 times per second. */
  watch: procedure.output(eventIterator(appState)),
  /** Tests now whether the databases accept writes again, and reports the result in the state. */
  checkStorage: procedure.output(z.object({})),
  /** Looks for an update now. The result is in the state. Refused while the setting is off. */
  checkForUpdates: procedure.output(z.object({})),
  updateSettings: procedure.input(settings.partial()).output(settings),
  /** Opens an http, https or mailto address in the default browser. Other addresses are refused. */
  openExternal: procedure.input(z.object({ url: z.string() })).output(z.object({ opened: z.boolean() })),
  /** A report for a question to the developers, as plain text: versions, settings, sizes, last errors. Without keys and texts of chats. */
  diagnostics: procedure.output(z.object({ report: z.string() })),
  /**
   * Runs the program once more, which tries out its own parts on a temporary folder, and returns each result as it comes.
   * @throws `bad_input` for a program that can't, `busy` while a check runs
   */
  checkInstallation: procedure.output(eventIterator(installationCheck)),
}
