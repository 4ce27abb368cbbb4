import { randomUUID } from 'node:crypto'
import { createMedia } from '../../../src-main/core/features/media/media.ts'
import { SqliteRequestLog } from '../../../src-main/core/requestLog/requestLog.ts'
import { dayMs } from '../../../src-main/core/shared/days.ts'
import { openAccountStore } from '../../../src-main/core/store/account/open.ts'
import { openStore } from '../../../src-main/core/store/store.ts'
import { message, put } from '../features/archive/studio.ts'
import { png } from '../features/media/pictures.ts'
import { imageRow, recordingRow, withDatabase } from '../features/media/rows.ts'
import { rightClock } from '../helpers/deadlines.ts'
import { notice, reading, service, usage } from '../requestLog/samples.ts'

export type UsedFolder = Awaited<ReturnType<typeof usedFolder>>

/**
 * A studio that has been used for a year: five conversations (one pinned, one archived), a request every 10 days with its bodies, pictures
 * and a recording. Every text of `N` days ago says `day-N-ago`.
 */
export async function usedFolder(dataDir: string, today = Date.now()) {
  const ago = (days: number): string => new Date(today - days * dayMs).toISOString()
  const store = openStore(dataDir)
  store.settings.write({ bodyDays: 365 })
  const talk = (days: number, more: { pinned?: boolean; archivedAt?: string } = {}): string => {
    const asked = message({ text: `What was asked day-${days}-ago`, createdAt: ago(days) })
    const answer = message({
      text: 'An answer',
      role: 'assistant',
      parentId: asked.id,
      model: 'writer-small',
      createdAt: ago(days),
    })
    const at = { createdAt: ago(days), updatedAt: ago(days), title: `Talk of day-${days}-ago` }
    return put(store, [asked, answer], { ...at, ...more })
  }
  const talks = {
    old: talk(300),
    archived: talk(200, { archivedAt: ago(150) }),
    pinned: talk(250, { pinned: true }),
    late: talk(20),
    new: talk(0),
  }
  const media = createMedia({
    dataDir,
    store,
    uploads: { take: () => ({ path: '', name: '' }), done: async () => undefined },
  })
  const pictures: { mediaId: string; days: number; favourite?: boolean }[] = []
  for (const one of [{ days: 220 }, { days: 240, favourite: true }, { days: 3 }]) {
    const { id: mediaId } = await media.addPicture({ bytes: png(300, 200, one.days) }, { name: null })
    pictures.push({ mediaId, ...one })
  }
  const sound = await media.addSound({ bytes: Buffer.alloc(70_000, 'RIFF') }, { mime: '', name: null })
  await media.swept
  store.close()
  withDatabase(dataDir, (database) => {
    for (const { days, ...one } of pictures) {
      imageRow(database, { id: randomUUID(), drawingId: randomUUID(), createdAt: ago(days), ...one })
    }
    recordingRow(database, { id: randomUUID(), mediaId: sound.id, createdAt: ago(230), bytes: 70_000 })
  })

  let now = today
  const requestLog = new SqliteRequestLog({
    dataDir,
    apps: () => [],
    bodyDays: () => 36_500,
    deadlines: rightClock(),
    log: () => undefined,
    now: () => now,
  })
  requestLog.learn(usage, service)
  requestLog.connectedTo(service)
  requestLog.belongsTo('book')
  for (let days = 360; days >= 0; days -= 10) {
    now = today - days * dayMs
    const trace = requestLog.open(notice({ logBodies: true, path: `/v1/day-${days}-ago`, endpoint: 'other' }))
    trace.connected()
    trace.replied(200, `req-day-${days}-ago`)
    trace.bodies({ text: `ask day-${days}-ago`, bytes: 20, capped: false }, { text: 'answer', bytes: 6, capped: false })
    trace.ends({ state: 'done' }, reading(1000, days))
  }
  await requestLog.close()
  openAccountStore(dataDir).close()
  return { dataDir, talks, ago, today, requests: 37 }
}
