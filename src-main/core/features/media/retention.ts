import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CleanUp, MediaUse } from '../../../../src-preload/contract/media.ts'
import { StudioError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { dayMs } from '../../shared/days.ts'
import { Listeners } from '../../shared/events.ts'
import { fileStem } from '../../shared/fileName.ts'
import { SerialQueue } from '../../shared/serialQueue.ts'
import { inBackground } from '../../shared/unexpected.ts'
import type { Made, MadeKind } from '../../store/mediaCleaning.ts'
import type { DeletionDeadlines } from '../../store/retentionClock.ts'
import type { Store } from '../../store/store.ts'
import { chooseForCleanUp } from './chooseForCleanUp.ts'
import type { Media } from './media.ts'

export interface MediaRetentionOptions {
  host: Pick<Host, 'dataDir' | 'reveal' | 'dragOut' | 'log'>
  store: Pick<Store, 'media' | 'erasures'>
  media: Media
  /** When deleted items may be deleted permanently. */
  deadlines: DeletionDeadlines
  /** Folder for temporary files, which is emptied at each start. */
  tempDir: string
  now?: () => number
}

/** How long deleted items can be restored, ms. */
const restorableMs = 30 * dayMs
/** Delay of the first sweep after the start, ms, so that the page loads first. */
const firstSweepMs = 10_000
/** Rows per transaction. Deleting overwrites the freed space, and other writers wait until the transaction ends. */
const atOnce = 200
/** Progress of a deletion; `stopped` ends it early. */
interface EraseSteps {
  done(items: number): void
  stopped(): boolean
}

/** Number of dragged copies to retain: the target of a drag may still read them. */
const maxDragCopies = 8

const endings: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/wav': 'wav',
  'audio/pcm': 'pcm',
  'audio/mp4': 'm4a',
  'audio/webm': 'webm',
}

export type MediaRetention = ReturnType<typeof createMediaRetention>

/** Sizes per feature, clean-up on request, permanent deletion after 30 days, and ways to get files out of the folder. */
export function createMediaRetention({
  host,
  store,
  media,
  deadlines,
  tempDir,
  now = Date.now,
}: MediaRetentionOptions) {
  const { media: rows, erasures } = store
  /** Items that were deleted permanently, per feature. */
  const erased = new Listeners<[MadeKind, readonly string[]]>()
  /** Concurrent calls would count the same items. */
  const queue = new SerialQueue()
  let closed = false
  const drags: string[] = []
  const sweepInBackground = (): void => inBackground('Deleted items could not be deleted permanently', sweep())
  const timers = [setTimeout(sweepInBackground, firstSweepMs), setInterval(sweepInBackground, dayMs)]
  for (const timer of timers) timer.unref()

  /** Deletes rows first, then files. If the process dies between, unreferenced files remain, which the next start deletes. */
  async function erase(going: readonly Made[], steps?: EraseSteps): Promise<{ items: number; bytes: number }> {
    let items = 0
    let bytes = 0
    for (let at = 0; at < going.length && !closed && !steps?.stopped(); at += atOnce) {
      const taken = rows.takeMade(going.slice(at, at + atOnce))
      await media.drop(taken.media)
      const ids = new Set(taken.made.map(({ id }) => id))
      for (const name of media.growing.names()) {
        if (ids.has(media.growing.ownerOf(name) ?? '')) await media.growing.discard(name)
      }
      for (const kind of new Set(taken.made.map((one) => one.kind))) {
        erased.notify(
          kind,
          taken.made.filter((one) => one.kind === kind).map(({ id }) => id),
        )
      }
      items += taken.made.length
      bytes += taken.bytes
      steps?.done(items)
      await nextTurn()
    }
    // Deleted data stays in the write-ahead log until a checkpoint. If a reader prevents the checkpoint, it runs at the end of the program.
    if (items > 0) erasures.emptyLog()
    return { items, bytes }
  }

  /** Items of one feature older than an instant, without favourites. */
  const olderThan = (kind: MadeKind, before: string): Made[] =>
    chooseForCleanUp(rows.made([kind]), { olderThanDays: 0, maxBytes: null, removed: false }, Date.parse(before))

  const chosen = ({ kinds, ...selection }: CleanUp): Made[] =>
    chooseForCleanUp(rows.made([...new Set(kinds)]), selection, now())

  /** Permanently deletes items deleted more than 30 days ago, and unreferenced files. Returns the number of items. */
  function sweep(): Promise<number> {
    return queue.run(async () => {
      const deadline = deadlines.before(restorableMs)
      const before = deadline === null ? '' : new Date(deadline).toISOString()
      const old = rows
        .made(['speech', 'recordings', 'images'])
        .filter(({ removedAt }) => removedAt && removedAt < before)
      const { items } = await erase(old)
      if (items > 0)
        host.log(
          'info',
          `Permanently deleted ${items} recordings, speeches and images that were deleted over 30 days ago.`,
        )
      rows.forgetDismissed(before)
      await media.sweepOrphans()
      return items
    })
  }

  /** @throws StudioError `no_such_item` */
  function pathOf(mediaId: string): string {
    const path = media.pathOf(mediaId)
    if (path === null) throw new StudioError('no_such_item', 'This file no longer exists.')
    return path
  }

  return {
    erased,
    async use(): Promise<{ uses: MediaUse[]; free: number | null; folder: string }> {
      const uses = rows.uses()
      for (const name of media.growing.names()) {
        const kind = rows.ownerKind(media.growing.ownerOf(name) ?? '')
        const use = uses.find((one) => one.kind === kind)
        const file = await stat(media.growing.pathOf(name)).catch(() => null)
        if (use && file) use.bytes += file.size
      }
      const disk = await statfs(host.dataDir).catch(() => null)
      return { uses, free: disk && disk.bavail * disk.bsize, folder: media.folder }
    },
    previewCleanUp(selection: CleanUp): { items: number; bytes: number } {
      const { made, bytes } = rows.wouldTakeMade(chosen(selection))
      return { items: made.length, bytes }
    },
    /** @throws StudioError `bad_input` if more would be deleted than was announced, because of new or aged items */
    cleanUp: ({ reported, ...selection }: CleanUp & { reported: number }): Promise<{ items: number; bytes: number }> =>
      queue.run(async () => {
        const going = chosen(selection)
        if (going.length > reported) throw new StudioError('bad_input', 'More would be deleted now than was announced.')
        return erase(going)
      }),
    /** Number of items and bytes that `erase` would delete. */
    wouldErase(kind: MadeKind, before: string): { items: number; bytes: number } {
      const { made, bytes } = rows.wouldTakeMade(olderThan(kind, before))
      return { items: made.length, bytes }
    },
    /**
     * Permanently deletes items older than an instant. Returns their number. @throws StudioError `bad_input` if more would be deleted than
     * was announced
     */
    erase: (
      kind: MadeKind,
      before: string,
      { reported, ...steps }: EraseSteps & { reported: number },
    ): Promise<number> =>
      queue.run(async () => {
        const going = olderThan(kind, before)
        if (going.length > reported) throw new StudioError('bad_input', 'More would be deleted now than was announced.')
        return (await erase(going, steps)).items
      }),
    sweep,
    /** @throws StudioError `no_such_item` */
    async reveal({ mediaId }: { mediaId: string }): Promise<{ shown: boolean; path: string }> {
      const path = pathOf(mediaId)
      return { shown: await host.reveal(path), path }
    },
    /** Drags a named copy, because the stored file has no readable name and must not change. @throws StudioError `no_such_item` */
    async dragOut({ mediaId, name }: { mediaId: string; name: string }): Promise<{ began: boolean }> {
      pathOf(mediaId)
      if (host.dragOut === null) return { began: false }
      const folder = join(tempDir, randomUUID())
      await mkdir(folder, { mode: 0o700 })
      drags.push(folder)
      const part = join(folder, '.part')
      const { mime } = await media.copyTo(mediaId, part)
      const ending =
        endings[mime] ??
        (extname(name)
          .slice(1)
          .replace(/[^\da-z]/gi, '')
          .slice(0, 8) ||
          'bin')
      const stem = fileStem(name.slice(0, name.length - extname(name).length) || name, 100, 'file')
      const path = join(folder, `${stem}.${ending}`)
      await rename(part, path)
      for (const old of drags.splice(0, drags.length - maxDragCopies)) await rm(old, { recursive: true, force: true })
      return { began: await host.dragOut(path) }
    },
    peaks({ mediaId }: { mediaId: string }): { data: string; seconds: number } | null {
      const kept = rows.peaks(mediaId)
      return kept && { data: Buffer.from(kept.data).toString('base64'), seconds: kept.seconds }
    },
    /** @throws StudioError `no_such_item` */
    savePeaks({ mediaId, data, seconds }: { mediaId: string; data: string; seconds: number }): void {
      rows.savePeaks(mediaId, Buffer.from(data, 'base64'), seconds)
    },
    async close(): Promise<void> {
      closed = true
      for (const timer of timers) clearTimeout(timer)
      await queue.ended()
    },
  }
}
