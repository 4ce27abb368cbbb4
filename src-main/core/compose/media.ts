import { ZipWriter } from '../features/archive/zipWriter.ts'
import type { Session } from '../features/connections/session.ts'
import { createImages, type Images } from '../features/images/images.ts'
import { createKeeping, type Keeping } from '../features/media/retention.ts'
import { Waiting } from '../features/outbox/outbox.ts'
import { createSpeeches, type Speeches } from '../features/speech/speeches.ts'
import { createTranscribe, type TranscribeRoom } from '../features/transcription/transcription.ts'
import type { Host } from '../host.ts'
import type { Ledger } from '../requestLog/requestLog.ts'
import type { Store } from '../store/store.ts'
import type { ChatRooms } from './chat.ts'

export interface MediaRoomsParts {
  host: Host
  store: Store
  session: Session
  ledger: Ledger
  /** Where bytes lie, and how they come and go. */
  files: Pick<ChatRooms, 'media' | 'transfers'>
}

/** Speech, Transcribe, Images: three rooms on one folder of files. */
export interface MediaRooms {
  speech: Speeches
  transcribe: TranscribeRoom
  images: Images
  /** Where bytes lie, and how they go. */
  keeping: Keeping
  /** What is sent when the service is back. */
  waiting: Waiting
  /** What is under way ends and keeps what came. Before the files' own end. */
  close(): Promise<void>
}

export function openMediaRooms({ host, store, session, ledger, files }: MediaRoomsParts): MediaRooms {
  const { media, transfers } = files
  const upstream = () => session.upstream()
  const costOf = (row: number) => {
    const { cost, costIs } = ledger.get(row).row
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
  const transcribe = createTranscribe({
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
  const keeping = createKeeping({ host, store, media, tempDir: transfers.folder })
  const waiting = new Waiting({
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
  const rooms = { speech, recordings: transcribe, images }
  keeping.erased.add((kind, ids) => {
    // The rows are gone by then: what a room can't tidy up is left over, and said.
    const tidied = Promise.resolve().then(() => rooms[kind].erased(ids))
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
