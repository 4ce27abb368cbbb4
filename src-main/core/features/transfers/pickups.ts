import { randomUUID } from 'node:crypto'
import { StudioError } from '../../errors.ts'

/** How long an offer waits for the page that takes it, ms. */
export const waitingMs = 60_000

/** Things that a page has requested and then takes once, by a random id. An offer that nobody takes expires after a minute. */
export function createPickups<T>({ most, busy }: { most: number; busy: string }) {
  const all = new Map<string, { thing: T; timer: NodeJS.Timeout }>()
  return {
    /**
     * Stores a thing and returns its id.
     * @throws StudioError `busy` when `most` offers wait
     */
    offer(thing: T): string {
      if (all.size >= most) throw new StudioError('busy', busy)
      const id = randomUUID()
      const timer = setTimeout(() => all.delete(id), waitingMs)
      timer.unref()
      all.set(id, { thing, timer })
      return id
    },
    /** Removes and returns a thing, or null for an unknown, taken or expired id. */
    take(id: string): T | null {
      const found = all.get(id)
      if (!found) return null
      all.delete(id)
      clearTimeout(found.timer)
      return found.thing
    },
    close(): void {
      for (const { timer } of all.values()) clearTimeout(timer)
      all.clear()
    },
  }
}
