import type { AlertPlace } from '../../src-preload/contract/alerts.ts'
import type { AppState, InstallationCheck, UpdateState } from '../../src-preload/contract/app.ts'
import type { ForkProgram } from './shared/processWorker.ts'

/** What the core needs of its host. There are two hosts: the desktop application and the web host. */
export interface Host {
  readonly name: 'desktop' | 'web'
  readonly version: string
  /** Absolute path of the data folder, which the host has created (mode 0700). */
  readonly dataDir: string
  /** Languages that the person prefers in the system, the best first. Absent: that of the process's locale. */
  languages?(): readonly string[]
  readonly secrets: SecretStore
  /** Opens a URL in the system's browser. The core has checked it. */
  openExternal(url: string): Promise<void>
  /** Opens an address of the core in the system's browser. Absent where the page itself can open a tab. */
  openPage?(url: string): Promise<void>
  /** Shows a file in the system's file manager. Returns false if there is none. */
  reveal(path: string): Promise<boolean>
  /** Starts dragging a file out of the focused window. Null for a host without windows. */
  readonly dragOut: ((path: string) => Promise<boolean>) | null
  /**
   * Shows a system notification, and opens `place` when it is clicked. Resolves with null when the system has shown it, or with the reason
   * in one sentence. Never rejects. Null for a host without notifications.
   */
  readonly notify: ((notice: Notice) => Promise<string | null>) | null
  /** Ends this core after its pending replies and starts it again on the same folder. Null for a host that cannot. */
  readonly restart: (() => void) | null
  /** The network settings of the operating system. Absent: environment variables and Node's certificates alone. */
  readonly network?: SystemNetwork
  /** Updates of the program itself. Absent or null: it has no update feed. */
  readonly updates?: HostUpdates | null
  /** Facts for the diagnostics report that only the host knows. Absent: none. */
  readonly diagnostics?: HostDiagnostics
  /**
   * Runs this program once more to check the installation, until `signal` aborts. The last result says so when that run breaks off. Absent:
   * it can't start itself.
   */
  checkInstallation?(signal: AbortSignal): AsyncIterable<InstallationCheck>
  /** Starts a process for work on hostile input, which may die. */
  readonly fork: ForkProgram
  /** One line for the log (standard error or a file). Never called with a secret. */
  log(level: 'info' | 'warn' | 'error', line: string): void
}

/** Updates of the program, which only a host can install. */
export interface HostUpdates {
  state(): UpdateState
  /** Calls `listener` after each change of the state. Returns the function that removes it. */
  observe(listener: () => void): () => void
  /** Looks for an update now. Failures become the state. @throws StudioError `bad_input` while the setting is off */
  check(): Promise<void>
}

/** What a host contributes to the diagnostics report. */
export interface HostDiagnostics {
  /** Versions by name, such as `electron`, in addition to those of Node. */
  versions(): Readonly<Record<string, string | undefined>>
  /** The last warnings and errors of the log, oldest first. The report masks what looks like a key. */
  recentProblems(): readonly string[]
  /** Number of crash dumps on this computer. */
  crashDumps(): number
}

/** Proxies and certificates of the operating system. Both may change while the program runs. */
export interface SystemNetwork {
  /** The proxies for an address in order of preference, such as `PROXY a.example:80; DIRECT`. Asked for each new connection. */
  resolveProxy(url: string): Promise<string>
  /**
   * Trusted certificates (PEM). The same array while nothing has changed. Asked for each new connection that uses TLS; the first answer may
   * take seconds. Never rejects.
   */
  certificates(): Promise<readonly string[]>
}

/** A notification. Other people may see it, so it never contains a secret or text of a chat. */
export interface Notice {
  title: string
  body: string
  place: AlertPlace
}

/** The operating system's keychain, or a file that the person has chosen in its place. `account` is a profile's id. */
export interface SecretStore {
  /** The file, when it is one. Its path is absolute. */
  readonly keyFile?: AppState['keychain']['keyFile']
  /** Whether a keychain is available now, and if not, the reason in one sentence. Never throws. */
  probe(): Promise<{ available: boolean; reason: string | null }>
  /**
   * Returns the secret, or null if none is stored.
   * @throws StudioError `keychain_missing`, `keychain_locked` (a locked keychain differs from an empty one)
   */
  get(account: string): Promise<string | null>
  /** @throws StudioError `keychain_missing`, `keychain_locked` */
  set(account: string, secret: string): Promise<void>
  /** @throws StudioError `keychain_missing`, `keychain_locked` */
  delete(account: string): Promise<void>
}
