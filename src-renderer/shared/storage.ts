/**
 * The browser's storage, which may be full, disabled or blocked. Reading and writing never throw: values that the browser refuses stay in
 * memory for the lifetime of the window.
 */
export interface SafeStorage {
  /** Null when nothing is stored under `key`. */
  get(key: string): string | null
  set(key: string, value: string): void
  remove(key: string): void
  /** The keys of all stored values. */
  keys(): string[]
  /** Removes everything, also what the browser refused to store. */
  clear(): void
  /** The stored JSON. Null when absent or invalid. */
  getJson(key: string): unknown
  setJson(key: string, value: unknown): void
}

let onFailure: (() => void) | null = null
let failed = false

/** Calls `listener` once: at the browser's first refusal to store a value, or immediately after an earlier refusal. */
export function whenStorageFails(listener: () => void): void {
  if (failed) listener()
  else onFailure = listener
}

function noteFailure(): void {
  failed = true
  onFailure?.()
  onFailure = null
}

/** @param open returns the browser's storage. The access itself throws when the browser blocks it. */
export function safeStorage(open: () => Storage): SafeStorage {
  /** Values that the browser refused, by key. Null: removed here, but not in the browser. */
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
      // The earlier value stays in the browser, because after a reload an older draft is better than no draft.
      memory.set(key, value)
      noteFailure()
    }
  }
  return {
    get,
    set,
    keys() {
      const all = new Set([...memory].flatMap(([key, value]) => (value === null ? [] : [key])))
      try {
        const stored = open()
        for (let at = 0; at < stored.length; at += 1) {
          const key = stored.key(at)
          if (key !== null && memory.get(key) !== null) all.add(key)
        }
      } catch {
        // Only the memory is left.
      }
      return [...all]
    },
    remove(key) {
      try {
        open().removeItem(key)
        memory.delete(key)
      } catch {
        memory.set(key, null)
      }
    },
    clear() {
      memory.clear()
      try {
        open().clear()
      } catch {
        // A blocked storage contains nothing.
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

/** Shared by all windows of this browser, and permanent. */
export const localStore = safeStorage(() => localStorage)
/** For this tab only. Survives a reload. */
export const tabStore = safeStorage(() => sessionStorage)
