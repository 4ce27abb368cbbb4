import { ZipWriter } from '../features/archive/zipWriter.ts'
import type { Session } from '../features/connections/session.ts'
import { createImages, type Images } from '../features/images/images.ts'
import { createMediaRetention, type MediaRetention } from '../features/media/retention.ts'
import { Outbox } from '../features/outbox/outbox.ts'
import { createSpeeches, type Speeches } from '../features/speech/speeches.ts'
import { createTranscription, type TranscriptionFeature } from '../features/transcription/transcription.ts'
import type { Host } from '../host.ts'
import type { SqliteRequestLog } from '../requestLog/requestLog.ts'
import type { Store } from '../store/store.ts'
import type { ComposedChat } from './chat.ts'

export interface MediaDependencies {
  host: Host
  store: Store
  session: Session
  requestLog: SqliteRequestLog
  /** Where bytes lie, and how they come and go. */
  files: Pick<ComposedChat, 'media' | 'transfers'>
}

/** Speech, Transcribe, Images: three rooms on one folder of files. */
export interface ComposedMedia {
  speech: Speeches
  transcribe: TranscriptionFeature
  images: Images
  /** Where bytes lie, and how they go. */
  keeping: MediaRetention
  /** What is sent when the service is back. */
  waiting: Outbox
  /** What is under way ends and keeps what came. Before the files' own end. */
  close(): Promise<void>
}

export function composeMedia({ host, store, session, requestLog, files }: MediaDependencies): ComposedMedia {
  const { media, transfers } = files
  const upstream = () => session.upstream()
  const costOf = (row: number) => {
    const { cost, costIs } = requestLog.get(row).row
    return { cost, costIs }
  }
  const speech = createSpeeches({
    store,
    upstream,
    costOf,
    media,
    downloads: transfers.downloads,
    tempDir: transfers.folder,
    log: host.log,
  })
  const transcribe = createTranscription({
    store,
    upstream,
    costOf,
    files: media,
    transfers,
    spoken: speech.sound,
    log: host.log,
  })
  const images = createImages({
    store,
    upstream,
    costOf,
    media,
    downloads: transfers.downloads,
    tempDir: transfers.folder,
    zip: (path) => new ZipWriter(path),
    log: (line) => host.log('error', line),
  })
  const keeping = createMediaRetention({ host, store, media, tempDir: transfers.folder })
  const waiting = new Outbox({
    store,
    makers: {
      images: {
        make: ({ what: _, ...wish }, alongside) => images.make(wish, alongside),
        has: images.has,
        over: images.over,
        takeBack: (id) => ({ what: 'images', ...images.takeBack(id) }),
      },
      speech: {
        make: ({ what: _, ...wish }, alongside) => speech.make(wish, alongside),
        has: speech.has,
        over: speech.over,
        takeBack: (id) => ({ what: 'speech', ...speech.takeBack(id) }),
      },
      transcript: {
        make: ({ what: _, ...wish }, alongside) => transcribe.transcribe(wish, alongside),
        has: transcribe.has,
        over: transcribe.over,
        takeBack: (id) => ({ what: 'transcript', ...transcribe.takeBack(id) }),
      },
    },
    connection: () => session.connection,
    reach: () => session.reach(),
    log: host.log,
  })
  const noLonger = session.changes.add(() => waiting.connectionChanged())
  const features = { speech, recordings: transcribe, images }
  keeping.erased.add((kind, ids) => {
    // The rows are gone by then: what a room can't tidy up is left over, and said.
    const tidied = Promise.resolve().then(() => features[kind].erased(ids))
    tidied.catch((thrown: unknown) => host.log('error', `Tidying up after erasing failed: ${String(thrown)}`))
  })
  return {
    speech,
    transcribe,
    images,
    keeping,
    waiting,
    async close() {
      noLonger()
      const sent = waiting.close()
      await Promise.all([speech.close(), transcribe.close(), images.close(), keeping.close()])
      await sent
    },
  }
}
