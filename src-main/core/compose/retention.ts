import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CleanUp } from '../../../src-preload/contract/media.ts'
import { createRetention, type ErasablePart, type RetentionFeature } from '../data/retention/retention.ts'
import type { ChatLibrary } from '../features/library/library.ts'
import type { MediaRetention } from '../features/media/retention.ts'
import type { SqliteRequestLog } from '../requestLog/requestLog.ts'
import { guarded, inBackground } from '../shared/unexpected.ts'
import type { Store } from '../store/store.ts'

export interface RetentionDependencies {
  store: Pick<Store, 'erasures' | 'alerts' | 'transaction'>
  requestLog: Pick<SqliteRequestLog, 'rowRetention' | 'bodyRetention'>
  library: Pick<ChatLibrary, 'erase'>
  keeping: Pick<MediaRetention, 'wouldErase' | 'erase'>
  /** Takes a conversation out of sight, with what goes on in it. */
  remove(conversationId: string): void
  logDays(): number | null
  log(level: 'info' | 'warn' | 'error', line: string): void
  now?: () => number
}

/** Titles that are shown of what would go. */
const mostTitles = 5
/** Conversations that are taken out of sight in one transaction. */
const atOnce = 50
const tellEveryMs = 200

/** What can be erased by age, from the rooms that have it: they know each other only here. */
export function composeRetention({
  store,
  requestLog,
  library,
  keeping,
  remove,
  ...rest
}: RetentionDependencies): RetentionFeature {
  const conversations: ErasablePart = {
    count({ before, archivedOnly }) {
      const all = store.erasures.untouched(before, archivedOnly)
      return { items: all.length, bytes: null, titles: all.slice(0, mostTitles).map(({ title }) => title) }
    },
    async erase({ before, archivedOnly }, reported, { done, stopped }) {
      const erasing: Promise<unknown>[] = []
      let planned = 0
      while (planned < reported && !stopped()) {
        const some = store.erasures.untouched(before, archivedOnly).slice(0, Math.min(atOnce, reported - planned))
        if (some.length === 0) break
        const ids = some.map(({ id }) => id)
        // Written down as to be erased in the transaction that takes it out of sight: what was to go for good is nobody's to bring back.
        const work = store.transaction(() => {
          for (const id of ids) remove(id)
          return library.erase(ids)
        })
        // Where a later one can't begin, nobody awaits this one.
        inBackground('Conversations could not be erased', work)
        erasing.push(work)
        planned += some.length
        await nextTurn()
      }
      const notify = guarded('What is left to erase could not be counted', () =>
        done(planned - store.erasures.planned('conversation').length),
      )
      const telling = setInterval(notify, tellEveryMs)
      try {
        // One work does them all: the index is written anew once.
        await Promise.all(erasing)
      } finally {
        clearInterval(telling)
      }
      return planned
    },
  }
  const log: ErasablePart = {
    count: async ({ before }) => ({ ...(await requestLog.rowRetention.count(Date.parse(before))), titles: [] }),
    erase: ({ before }, _told, steps) => requestLog.rowRetention.erase(Date.parse(before), steps),
  }
  const bodies: ErasablePart = {
    count: ({ before }) => ({ ...requestLog.bodyRetention.count(Date.parse(before)), titles: [] }),
    erase: ({ before }, _told, steps) => requestLog.bodyRetention.erase({ before: Date.parse(before) }, steps),
  }
  const media = (kind: CleanUp['kinds'][number]): ErasablePart => ({
    count: ({ before }) => ({ ...keeping.wouldErase(kind, before), titles: [] }),
    erase: ({ before }, reported, steps) => keeping.erase(kind, before, { reported, ...steps }),
  })
  const alerts: ErasablePart = {
    count: ({ before }) => ({ items: store.alerts.countBefore(before), bytes: null, titles: [] }),
    erase: async ({ before }) => store.alerts.removeBefore(before),
  }
  return createRetention({
    ...rest,
    kinds: {
      ...{ conversations, log, bodies, alerts },
      ...{ speech: media('speech'), recordings: media('recordings'), images: media('images') },
    },
  })
}
