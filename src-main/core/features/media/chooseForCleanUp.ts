import type { CleanUp } from '../../../../src-preload/contract/media.ts'
import { dayMs } from '../../shared/days.ts'
import type { Made } from '../../store/mediaCleaning.ts'

/**
 * What a clean-up takes of `made`, which stands oldest first: what was removed, where that is wished; what is older; then the oldest until at
 * most `keepBytes` are left. Favourites are taken only where they were removed and that is wished.
 */
export function chooseToGo(
  made: readonly Made[],
  { olderThanDays, keepBytes, removed }: Omit<CleanUp, 'kinds'>,
  now: number,
): Made[] {
  const before = olderThanDays === null ? null : new Date(now - olderThanDays * dayMs).toISOString()
  const going = new Set<Made>()
  for (const one of made) {
    const old = before !== null && one.createdAt < before && !one.favourite
    if (old || (removed && one.removedAt !== null)) going.add(one)
  }
  if (keepBytes !== null) takeOldest(made, going, keepBytes)
  return made.filter((one) => going.has(one))
}

function takeOldest(made: readonly Made[], going: Set<Made>, keepBytes: number): void {
  const files = new NamedFiles()
  for (const one of made) if (!going.has(one)) files.add(one)
  for (const one of made) {
    if (files.bytes <= keepBytes) return
    // What has no file frees nothing.
    if (going.has(one) || one.favourite || one.media.length === 0) continue
    going.add(one)
    files.take(one)
  }
}

/** A file that several things name is there until the last of them goes. */
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
