/**
 * The browser's storage, which may be full, switched off or blocked. Reading and writing never throw: what the browser does not take is kept
 * in memory, and lives as long as the window.
 */
export interface SafeStorage {
  /** Null where nothing is stored under `key`. */
  get(key: string): string | null
  set(key: string, value: string): void
  remove(key: string): void
  /** The stored JSON, or null where there is none or where the text is not JSON. */
  getJson(key: string): unknown
  setJson(key: string, value: unknown): void
}

let onFailure: (() => void) | null = null
let failed = false

/** Calls `listener` once, when the browser first refuses to store something, or at once where that was before. */
export function whenStorageFails(listener: () => void): void {
  if (failed) listener()
  else onFailure = listener
}

function noteFailure(): void {
  failed = true
  onFailure?.()
  onFailure = null
}

/** @param open gets the browser's storage; the access itself throws where the browser blocks it. */
export function safeStorage(open: () => Storage): SafeStorage {
  /** What the browser did not take, by key. Null: removed here, and the browser could not be told. */
  const memory = new Map<string, string | null>()

  function get(key: string): string | null {
    const held = memory.get(key)
    if (held !== undefined) return held
    try {
      return open().getItem(key)
    } catch {
      return null
    }
  }
  function set(key: string, value: string): void {
    try {
      open().setItem(key, value)
      memory.delete(key)
    } catch {
      // The value before it stays in the browser: after a reload, an older draft is better than none.
      memory.set(key, value)
      noteFailure()
    }
  }
  return {
    get,
    set,
    remove(key) {
      try {
        open().removeItem(key)
        memory.delete(key)
      } catch {
        memory.set(key, null)
      }
    },
    getJson(key) {
      try {
        return JSON.parse(get(key) ?? 'null')
      } catch {
        return null
      }
    },
    setJson: (key, value) => set(key, JSON.stringify(value)),
  }
}

/** Shared by all windows of this browser, and kept when they are closed. */
export const localStore = safeStorage(() => localStorage)
/** Of this tab alone; survives a reload. */
export const tabStore = safeStorage(() => sessionStorage)
