import type { Tool } from '../../../src-preload/contract/tools.ts'
import { type Feed, type FeedSource, feed, Listeners } from '../feed.ts'
import { openStore, type Store } from '../store/store.ts'
import { addTool, revokeTool, verifyToolKey } from './keys.ts'

const pollMs = 300
/** How exact "last used" is. */
const usedEveryMs = 60_000
const usedDelayMs = 250

/** Tool keys of a running core: what the procedures, the local /v1 and the command line need of them. */
export class Tools {
  readonly changes = new Listeners()
  readonly #store: Store
  readonly #noted = new Map<string, number>()
  readonly #pending = new Map<string, string>()
  #useTimer: NodeJS.Timeout | null = null
  #pollTimer: NodeJS.Timeout | null = null
  #watchers = 0
  #seen: number

  constructor(store: Store) {
    this.#store = store
    this.#seen = store.dataVersion()
  }

  list = (): Tool[] => this.#store.toolKeys.list()
  count = (): number => this.list().filter(({ revokedAt }) => revokedAt === null).length
  verify = (presented: string): Tool | null => verifyToolKey(this.#store, presented)

  add(name: string): { tool: Tool; key: string } {
    const made = addTool(this.#store, name)
    this.changes.tell()
    return made
  }

  revoke(id: string): Tool {
    const tool = revokeTool(this.#store, id)
    this.changes.tell()
    return tool
  }

  /** A request used this key. Written a little later and at most once a minute a key, never while a request waits. */
  touch(id: string): void {
    const now = Date.now()
    if (now - (this.#noted.get(id) ?? 0) < usedEveryMs) return
    this.#noted.set(id, now)
    this.#pending.set(id, new Date(now).toISOString())
    this.#useTimer ??= setTimeout(() => this.#writeUses(), usedDelayMs)
  }

  watch(signal?: AbortSignal): Feed<Tool[]> {
    let stale = true
    const source: FeedSource<Tool[]> = {
      take: () => {
        if (!stale) return null
        stale = false
        return this.list()
      },
      subscribe: (wake) =>
        this.observe(() => {
          stale = true
          wake()
        }),
    }
    return feed(source, signal)
  }

  /** Changes of ours and, looked for only while somebody observes, of the command line beside us. */
  observe(listener: () => void): () => void {
    const stop = this.changes.add(listener)
    this.#watchers += 1
    this.#pollTimer ??= setInterval(() => this.#poll(), pollMs)
    return () => {
      stop()
      this.#watchers -= 1
      if (this.#watchers > 0 || !this.#pollTimer) return
      clearInterval(this.#pollTimer)
      this.#pollTimer = null
    }
  }

  close(): void {
    if (this.#pollTimer) clearInterval(this.#pollTimer)
    this.#pollTimer = null
    this.#writeUses()
  }

  #poll(): void {
    const version = this.#store.dataVersion()
    if (version === this.#seen) return
    this.#seen = version
    this.changes.tell()
  }

  #writeUses(): void {
    if (this.#useTimer) clearTimeout(this.#useTimer)
    this.#useTimer = null
    if (this.#pending.size === 0) return
    this.#store.toolKeys.markUsed(this.#pending)
    this.#pending.clear()
    this.changes.tell()
  }
}

/** The same keys for the command line, also beside a running core, which honours each change with the next request. */
export function openTools(dataDir: string) {
  const store = openStore(dataDir)
  return {
    add: (name: string) => addTool(store, name),
    list: (): Tool[] => store.toolKeys.list(),
    revoke: (id: string): Tool => revokeTool(store, id),
    close: (): void => store.close(),
  }
}
