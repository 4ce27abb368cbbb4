import { readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
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
import { partBytes } from '../../../../src-preload/contract/transfers.ts'
import { freshFolder } from '../../helpers/core.ts'

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
  const { uploads, downloads } = transfers
  let open = true
  const close = async (): Promise<void> => {
    if (!open) return
    open = false
    await feature.close()
    await transfers.close()
    await media.swept
    store.close()
  }
  onTestFinished(close)

  async function upload(bytes: Uint8Array, name: string): Promise<string> {
    const { uploadId } = await uploads.begin({ name, bytes: bytes.length })
    for (let at = 0; at < bytes.length; at += partBytes) {
      const data = Buffer.from(bytes.subarray(at, at + partBytes)).toString('base64')
      await uploads.part({ uploadId, at, data })
    }
    return uploadId
  }
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
    async download({ downloadId, bytes }: { downloadId: string; bytes: number }): Promise<Buffer> {
      const parts: Buffer[] = []
      for (let at = 0; at < bytes; at += parts.at(-1)?.length ?? bytes) {
        parts.push(Buffer.from((await downloads.read({ downloadId, at })).data, 'base64'))
      }
      await downloads.release(downloadId)
      return Buffer.concat(parts)
    },
    bytesOf: ({ mediaId }: Recording): Buffer => readFileSync(media.pathOf(mediaId ?? '') ?? ''),
  }
}

export const wish = { model: null, language: null, prompt: null, format: null, temperature: null }
export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** The transcript after its run, successful or not. */
export async function made(feature: TranscriptionFeature, { id, recordingId }: Transcript): Promise<Transcript> {
  for await (const _ of feature.watch()) {
    const { transcripts } = await feature.get({ id: recordingId })
    const one = transcripts.find((other) => other.id === id)
    if (one && one.state !== 'making') return one
  }
  throw new Error('The events ended.')
}
