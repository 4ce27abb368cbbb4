import { ZipWriter } from '../features/archive/zipWriter.ts'
import type { Session } from '../features/connections/session.ts'
import { createImages, type Images } from '../features/images/images.ts'
import { createMediaRetention, type MediaRetention } from '../features/media/retention.ts'
import { Outbox } from '../features/outbox/outbox.ts'
import { createSpeeches, type Speeches } from '../features/speech/speeches.ts'
import { createTranscription, type TranscriptionFeature } from '../features/transcription/transcription.ts'
import type { Host } from '../host.ts'
import { closeTogether } from '../shared/closeAll.ts'
import { fromNano } from '../shared/money.ts'
import type { ComposedAccount } from './account.ts'
import type { ComposedChat } from './chat.ts'
import type { OpenData } from './data.ts'
import { imageSender, speechSender, transcriptSender } from './outboxSenders.ts'

export interface MediaDependencies extends Pick<OpenData, 'store' | 'requestLog' | 'retentionClock'> {
  host: Host
  session: Session
  usage: Pick<ComposedAccount['usage'], 'wanted'>
  /** The media files on disk, and the transfers between a page and the core. */
  files: Pick<ComposedChat, 'media' | 'transfers'>
}

/** Speech, transcription and images, which share one folder of files, their retention and the outbox. */
export interface ComposedMedia {
  speech: Speeches
  transcription: TranscriptionFeature
  images: Images
  /** Disk use and deletion of the media files. */
  retention: MediaRetention
  /** Requests that wait until the service is reachable. */
  outbox: Outbox
  /** Stops running jobs and stores their partial output. Call before the media files are closed. */
  close(): Promise<void>
}

export function composeMedia({
  host,
  store,
  session,
  requestLog,
  retentionClock,
  usage,
  files,
}: MediaDependencies): ComposedMedia {
  const { media, transfers } = files
  const upstream = () => session.upstream()
  const { costOf } = requestLog
  const speech = createSpeeches({
    store,
    upstream,
    costOf,
    priceOf(model, sizes) {
      const price = requestLog.prices.speech(model, sizes)
      return price === null ? null : fromNano(price)
    },
    priceWanted: usage.wanted,
    media,
    downloads: transfers.downloads,
    tempDir: transfers.folder,
    log: host.log,
  })
  const transcription = createTranscription({
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
    uploads: transfers.uploads,
    downloads: transfers.downloads,
    tempDir: transfers.folder,
    zip: (path) => new ZipWriter(path),
    log: (line) => host.log('error', line),
  })
  const retention = createMediaRetention({ host, store, media, deadlines: retentionClock, tempDir: transfers.folder })
  const outbox = new Outbox({
    store,
    senders: {
      images: imageSender(images),
      speech: speechSender(speech),
      transcript: transcriptSender(transcription),
    },
    connection: () => session.connection,
    reach: () => session.reach(),
    log: host.log,
  })
  const stopFollowing = session.changes.add(() => outbox.connectionChanged())
  const features = { speech, recordings: transcription, images }
  retention.erased.add((kind, ids) => {
    // The rows are deleted already. If a feature can't delete files, they remain and the failure is reported.
    const tidied = Promise.resolve().then(() => features[kind].erased(ids))
    tidied.catch((thrown: unknown) => host.log('error', `Tidying up after erasing failed: ${String(thrown)}`))
  })
  return {
    speech,
    transcription,
    images,
    retention,
    outbox,
    async close() {
      stopFollowing()
      // Together, because the outbox waits for its running job, which ends when its feature closes.
      await closeTogether([outbox, speech, transcription, images, retention])
    },
  }
}
