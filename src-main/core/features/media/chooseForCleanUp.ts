import type { CleanUp } from '../../../../src-preload/contract/media.ts'
import { dayMs } from '../../shared/days.ts'
import type { Made } from '../../store/mediaCleaning.ts'

/**
 * Chooses the items of a clean-up from `made`, which must be sorted oldest first. Chooses deleted items if requested, items older than
 * the limit, and then the oldest items until at most `maxBytes` are left. A favourite is chosen only if it is deleted and deleted items
 * are requested.
 */
export function chooseForCleanUp(
  made: readonly Made[],
  { olderThanDays, maxBytes, removed }: Omit<CleanUp, 'kinds'>,
  now: number,
): Made[] {
  const before = olderThanDays === null ? null : new Date(now - olderThanDays * dayMs).toISOString()
  const chosen = new Set<Made>()
  for (const one of made) {
    const old = before !== null && one.createdAt < before && !one.favourite
    if (old || (removed && one.removedAt !== null)) chosen.add(one)
  }
  if (maxBytes !== null) takeOldest(made, chosen, maxBytes)
  return made.filter((one) => chosen.has(one))
}

function takeOldest(made: readonly Made[], chosen: Set<Made>, maxBytes: number): void {
  const files = new NamedFiles()
  for (const one of made) if (!chosen.has(one)) files.add(one)
  for (const one of made) {
    if (files.bytes <= maxBytes) return
    // Items without files free no space.
    if (chosen.has(one) || one.favourite || one.media.length === 0) continue
    chosen.add(one)
    files.take(one)
  }
}

/** Counts references to files. Space is freed when the last item that refers to a file is chosen. */
class NamedFiles {
  readonly #names = new Map<string, number>()
  bytes = 0

  add({ media }: Made): void {
    for (const { id, bytes } of media) {
      const count = this.#names.get(id) ?? 0
      this.#names.set(id, count + 1)
      if (count === 0) this.bytes += bytes
    }
  }

  take({ media }: Made): void {
    for (const { id, bytes } of media) {
      const count = (this.#names.get(id) ?? 1) - 1
      this.#names.set(id, count)
      if (count === 0) this.bytes -= bytes
    }
  }
}
