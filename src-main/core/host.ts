import type { AlertPlace } from '../../src-preload/contract/alerts.ts'

/** What the core needs of its host. There are two hosts: the desktop application and the web host. */
export interface Host {
  readonly name: 'desktop' | 'web'
  readonly version: string
  /** Absolute path of the data folder, which the host has created (mode 0700). */
  readonly dataDir: string
  readonly secrets: SecretStore
  /** Opens a URL in the system's browser. The core has checked it. */
  openExternal(url: string): Promise<void>
  /** Shows a file in the system's file manager. Returns false if there is none. */
  reveal(path: string): Promise<boolean>
  /** Starts dragging a file out of the focused window. Null for a host without windows. */
  readonly dragOut: ((path: string) => Promise<boolean>) | null
  /** Shows a system notification, and opens `place` when it is clicked. Null for a host without notifications. */
  readonly notify: ((notice: Notice) => void) | null
  /** Ends this core after its pending replies and starts it again on the same folder. Null for a host that cannot. */
  readonly restart: (() => void) | null
  /** One line for the log (standard error or a file). Never called with a secret. */
  log(level: 'info' | 'warn' | 'error', line: string): void
}

/** A notification. Other people may see it, so it never contains a secret or text of a chat. */
export interface Notice {
  title: string
  body: string
  place: AlertPlace
}

/** The operating system's keychain. `account` is a profile's id. */
export interface SecretStore {
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
