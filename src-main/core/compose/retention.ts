import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CleanUp } from '../../../src-preload/contract/media.ts'
import { createRetention, type ErasablePart, type RetentionFeature } from '../data/retention/retention.ts'
import type { ChatLibrary } from '../features/library/library.ts'
import type { MediaRetention } from '../features/media/retention.ts'
import type { SqliteRequestLog } from '../requestLog/requestLog.ts'
import { guarded, inBackground } from '../shared/unexpected.ts'
import type { DeletionDeadlines } from '../store/retentionClock.ts'
import type { Store } from '../store/store.ts'

export interface RetentionDependencies {
  store: Pick<Store, 'erasures' | 'alerts' | 'transaction'>
  requestLog: Pick<SqliteRequestLog, 'rowRetention' | 'bodyRetention'>
  library: Pick<ChatLibrary, 'erase'>
  media: Pick<MediaRetention, 'wouldErase' | 'erase'>
  /** Moves a conversation to the trash and stops what runs in it. */
  remove(conversationId: string): void
  logDays(): number | null
  deadlines: DeletionDeadlines
  log(level: 'info' | 'warn' | 'error', line: string): void
  now?: () => number
}

/** How many titles the preview of a deletion lists. */
const mostTitles = 5
/** Conversations that move to the trash in one transaction. */
const batchSize = 50
const progressEveryMs = 200

/** Deletion by age, over all features that store something. */
export function composeRetention({
  store,
  requestLog,
  library,
  media,
  remove,
  ...rest
}: RetentionDependencies): RetentionFeature {
  const conversations: ErasablePart = {
    count({ before, archivedOnly }) {
      const all = store.erasures.untouched(before, archivedOnly)
      return { items: all.length, bytes: null, titles: all.slice(0, mostTitles).map(({ title }) => title) }
    },
    async erase({ before, archivedOnly }, counted, { done, stopped }) {
      const erasing: Promise<unknown>[] = []
      let planned = 0
      while (planned < counted && !stopped()) {
        const batch = store.erasures.untouched(before, archivedOnly).slice(0, Math.min(batchSize, counted - planned))
        if (batch.length === 0) break
        const ids = batch.map(({ id }) => id)
        // One transaction for both, so that a conversation that is due for deletion can't be restored from the trash.
        const work = store.transaction(() => {
          for (const id of ids) remove(id)
          return library.erase(ids)
        })
        // Reported here because a failure in a later round would leave this promise unawaited.
        inBackground('Conversations could not be deleted', work)
        erasing.push(work)
        planned += batch.length
        await nextTurn()
      }
      const notify = guarded('The progress of the deletion could not be read', () =>
        done(planned - store.erasures.planned('conversation').length),
      )
      const progress = setInterval(notify, progressEveryMs)
      try {
        // One job deletes all batches, so that the search index is rebuilt once.
        await Promise.all(erasing)
      } finally {
        clearInterval(progress)
      }
      return planned
    },
  }
  const log: ErasablePart = {
    count: async ({ before }) => ({ ...(await requestLog.rowRetention.count(Date.parse(before))), titles: [] }),
    erase: ({ before }, _counted, steps) => requestLog.rowRetention.erase(Date.parse(before), steps),
  }
  const bodies: ErasablePart = {
    count: ({ before }) => ({ ...requestLog.bodyRetention.count(Date.parse(before)), titles: [] }),
    erase: ({ before }, _counted, steps) => requestLog.bodyRetention.erase({ before: Date.parse(before) }, steps),
  }
  const files = (kind: CleanUp['kinds'][number]): ErasablePart => ({
    count: ({ before }) => ({ ...media.wouldErase(kind, before), titles: [] }),
    erase: ({ before }, reported, steps) => media.erase(kind, before, { reported, ...steps }),
  })
  const alerts: ErasablePart = {
    count: ({ before }) => ({ items: store.alerts.countBefore(before), bytes: null, titles: [] }),
    erase: async ({ before }) => store.alerts.removeBefore(before),
  }
  return createRetention({
    ...rest,
    kinds: {
      conversations,
      log,
      bodies,
      alerts,
      speech: files('speech'),
      recordings: files('recordings'),
      images: files('images'),
    },
  })
}
