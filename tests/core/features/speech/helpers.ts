import { onTestFinished } from 'vitest'
import { createMedia } from '../../../../src-main/core/features/media/media.ts'
import type { SpeechParts } from '../../../../src-main/core/features/speech/dependencies.ts'
import { createSpeeches, type Speeches } from '../../../../src-main/core/features/speech/speeches.ts'
import { createTransfers } from '../../../../src-main/core/features/transfers/transfers.ts'
import { SqliteRequestLog } from '../../../../src-main/core/requestLog/requestLog.ts'
import { fromNano } from '../../../../src-main/core/shared/money.ts'
import { coreBusyMs } from '../../../../src-main/core/store/database.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import type { Speech, SpeechRequest, SpeechSound } from '../../../../src-preload/contract/speech.ts'
import { openClient } from '../../../helpers/openClient.ts'
import { freshFolder } from '../../helpers/core.ts'
import { rightClock } from '../../helpers/deadlines.ts'

export interface Service {
  baseUrl: string
  apiKey: string
}

/** A speech feature over real files, a real database and a real request log. */
export function openSpeechFeature(service: Service, dataDir = freshFolder(), other: Partial<SpeechParts> = {}) {
  const store = openStore(dataDir, { busyMs: coreBusyMs })
  const transfers = createTransfers({ dataDir })
  const media = createMedia({ dataDir, store, uploads: transfers.uploads })
  const requestLog = new SqliteRequestLog({
    dataDir,
    apps: () => [],
    bodyDays: () => 1,
    deadlines: rightClock(),
    log: () => undefined,
  })
  const client = openClient(service.baseUrl, service.apiKey, { requestLog })
  const lines: string[] = []
  const speeches = createSpeeches({
    store,
    upstream: async () => client,
    costOf: (row) => {
      const { cost, costIs } = requestLog.get(row).row
      return { cost, costIs }
    },
    priceOf(model, sizes) {
      const price = requestLog.prices.speech(model, sizes)
      return price === null ? null : fromNano(price)
    },
    priceWanted: () => undefined,
    media,
    downloads: transfers.downloads,
    tempDir: transfers.folder,
    log: (level, line) => void lines.push(`${level} ${line}`),
    ...other,
  })
  let open = true
  async function close(): Promise<void> {
    if (!open) return
    open = false
    await speeches.close()
    await client.close()
    await transfers.close()
    await requestLog.close()
    store.close()
  }
  return { dataDir, store, transfers, media, requestLog, account: client, speeches, lines, close }
}
export type TestFeature = ReturnType<typeof openSpeechFeature>

/** The same, closed when the test ends. */
export function speechProcedures(...given: Parameters<typeof openSpeechFeature>): TestFeature {
  const feature = openSpeechFeature(...given)
  onTestFinished(() => feature.close())
  return feature
}

export function wish(text: string, more: Partial<SpeechRequest> = {}): SpeechRequest & { fromId: null } {
  return { text, model: 'tts-1', voice: 'nova', format: 'mp3', speed: null, pcmRate: 24_000, fromId: null, ...more }
}

/** What a window sees of one speech, until it satisfies `enough`. */
export async function seen(speeches: Speeches, id: string, enough: (speech: Speech) => boolean): Promise<Speech> {
  const changes = speeches.watch()
  try {
    for await (const change of changes) {
      const all = change.type === 'snapshot' ? change.speeches : change.type === 'speech' ? [change.speech] : []
      const found = all.find((one) => one.id === id)
      if (found && enough(found)) return found
    }
  } finally {
    await changes.return?.()
  }
  throw new Error('The changes ended before what was waited for.')
}

export const isOver = ({ state }: Speech): boolean => state !== 'making'

/** Everything that a listener receives: the bytes of each part, and the other events by name. */
export async function heard(sounds: AsyncIterable<SpeechSound>) {
  const parts = new Map<number, Buffer[]>()
  const order: string[] = []
  for await (const sound of sounds) {
    if (sound.type === 'audio') {
      parts.set(sound.part, [...(parts.get(sound.part) ?? []), Buffer.from(sound.data)])
      if (order.at(-1) !== `audio ${sound.part}`) order.push(`audio ${sound.part}`)
    } else if (sound.type === 'part') order.push(`part ${sound.part}`)
    else order.push(sound.type === 'end' ? `end ${sound.state}` : `plan ${sound.parts} ${sound.mime}`)
  }
  return { parts: [...parts].map(([part, chunks]) => ({ part, bytes: Buffer.concat(chunks) })), order }
}
