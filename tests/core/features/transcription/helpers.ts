import { readFileSync } from 'node:fs'
import { createMedia } from '../../../../src-main/core/features/media/media.ts'
import type { TranscribeParts } from '../../../../src-main/core/features/transcription/dependencies.ts'
import {
  createTranscription,
  type TranscriptionFeature,
} from '../../../../src-main/core/features/transcription/transcription.ts'
import { createTransfers } from '../../../../src-main/core/features/transfers/transfers.ts'
import { coreBusyMs } from '../../../../src-main/core/store/database.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import type { Recording, Transcript } from '../../../../src-preload/contract/transcription.ts'
import { closesOnce } from '../../helpers/closeMedia.ts'
import { freshFolder } from '../../helpers/core.ts'
import { readDownload, uploadFile } from '../../helpers/transfers.ts'

/** The feature over a real store and real files, composed as in `compose/media.ts`. */
export function openFeature(dataDir: string = freshFolder(), given: Partial<TranscribeParts> = {}) {
  const store = openStore(dataDir, { busyMs: coreBusyMs })
  const transfers = createTransfers({ dataDir })
  const media = createMedia({ dataDir, store, uploads: transfers.uploads })
  const lines: string[] = []
  const feature = createTranscription({
    store,
    files: media,
    transfers,
    upstream: () => Promise.reject(new Error('This test asks nobody.')),
    costOf: () => ({ cost: null, costIs: 'unknown' }),
    spoken: () => {
      throw new Error('This test has no speech.')
    },
    log: (level, line) => lines.push(`${level} ${line}`),
    ...given,
  })
  const close = closesOnce(feature, { transfers, media, store })

  const upload = (bytes: Uint8Array, name: string): Promise<string> => uploadFile(transfers, name, Buffer.from(bytes))
  return {
    dataDir,
    store,
    media,
    feature,
    lines,
    close,
    upload,
    async addFile(bytes: Uint8Array, name: string): Promise<Recording> {
      return feature.addFile({ uploadId: await upload(bytes, name), fromId: null })
    },
    download: ({ downloadId }: { downloadId: string }): Promise<Buffer> => readDownload(transfers, downloadId),
    bytesOf: ({ mediaId }: Recording): Buffer => readFileSync(media.pathOf(mediaId ?? '') ?? ''),
  }
}

export const wish = { model: null, language: null, prompt: null, format: null, temperature: null }

/** The transcript after its run, successful or not. */
export async function made(feature: TranscriptionFeature, { id, recordingId }: Transcript): Promise<Transcript> {
  for await (const _ of feature.watch()) {
    const { transcripts } = await feature.get({ id: recordingId })
    const one = transcripts.find((other) => other.id === id)
    if (one && one.state !== 'making') return one
  }
  throw new Error('The events ended.')
}
