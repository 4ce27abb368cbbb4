import type { AlertPlace } from '../../src-preload/contract/alerts.ts'

/** What the core asks of the program around it. Two hosts answer: the desktop window and the web host. */
export interface Host {
  readonly name: 'desktop' | 'web'
  readonly version: string
  /** Absolute path of the data folder; the host has made it (mode 0700). */
  readonly dataDir: string
  readonly secrets: SecretStore
  /** Opens an address in the system's browser. The core has checked it. */
  openExternal(url: string): Promise<void>
  /** Shows a file in the system's file manager. False where this host has none. */
  reveal(path: string): Promise<boolean>
  /** Begins to drag a file out of the window that the person is in; null where this host has no window of its own. */
  readonly dragOut: ((path: string) => Promise<boolean>) | null
  /** Shows a notification of the system; null where this host has none. A click on it brings the window there. */
  readonly notify: ((notice: Notice) => void) | null
  /** One line for the log (standard error or a file). Never called with a secret. */
  log(level: 'info' | 'warn' | 'error', line: string): void
}

/** Plain text for a screen that others may see: no secret, and nothing that a person or a model wrote in a chat. */
export interface Notice {
  title: string
  body: string
  place: AlertPlace
}

/** The operating system's keychain, behind three verbs. `account` is a profile's id. */
export interface SecretStore {
  /** Whether a keychain answers now, and why not, in one sentence. Never throws. */
  probe(): Promise<{ available: boolean; reason: string | null }>
  /**
   * The secret, or null where none is stored.
   * @throws StudioError `keychain_missing`, `keychain_locked` (a locked keyring is told from an empty one)
   */
  get(account: string): Promise<string | null>
  /** @throws StudioError `keychain_missing`, `keychain_locked` */
  set(account: string, secret: string): Promise<void>
  /** @throws StudioError `keychain_missing`, `keychain_locked` */
  delete(account: string): Promise<void>
}
