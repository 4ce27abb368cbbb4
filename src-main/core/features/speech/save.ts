import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Download } from '../../../../src-preload/contract/transfers.ts'
import { StudioError } from '../../errors.ts'
import type { SpeechFeature } from './dependencies.ts'
import { extensionOf, mimeOf, speechName } from './formats.ts'
import { pcmFormat, wavHead } from './join/wav.ts'

/**
 * Offers the audio as a download. `wav` adds a header to plain samples.
 * @throws StudioError `no_such_item`, `bad_input` for `wav` unless the audio is plain samples, `busy`
 */
export async function save(feature: SpeechFeature, { id, as }: { id: string; as: 'made' | 'wav' }): Promise<Download> {
  const { store, media, downloads, tempDir } = feature
  const { mediaId, excerpt, settings, mime } = store.speeches.get(id)
  if (mediaId === null) throw new StudioError('no_such_item', 'This speech has no audio yet.')
  const path = join(tempDir, randomUUID())
  const asWav = as === 'wav' && mime === mimeOf.pcm
  if (as === 'wav' && !asWav && mime !== mimeOf.wav) {
    throw new StudioError(
      'bad_input',
      'Only plain samples (pcm) can be saved as WAV. This speech already has a file format.',
    )
  }
  const format = formatOf(mime)
  try {
    const bytes = asWav
      ? await samplesAsWav(feature, mediaId, settings.pcmRate, path)
      : (await media.copyTo(mediaId, path)).bytes
    const shown = asWav ? 'wav' : format
    return downloads.offer({ path, name: speechName(excerpt, extensionOf[shown]), mime: mimeOf[shown], bytes })
  } catch (thrown) {
    await rm(path, { force: true })
    throw thrown
  }
}

/** Audio for another feature: a stored file, or a temporary one that the caller owns. */
export type SpokenSound = { name: string; mime: string; bytes: number; seconds: number | null } & (
  | { mediaId: string; path: null }
  | { mediaId: null; path: string }
)

/**
 * Returns the audio for another feature. Converts plain samples to WAV, because their rate is unknown otherwise.
 * @throws StudioError `no_such_item`
 */
export async function soundOf(feature: SpeechFeature, id: string): Promise<SpokenSound> {
  const { mediaId, mediaBytes, excerpt: name, settings, mime, seconds } = feature.store.speeches.get(id)
  if (mediaId === null) throw new StudioError('no_such_item', 'That speech has no audio yet.')
  if (mime !== mimeOf.pcm) return { mediaId, path: null, name, mime, bytes: mediaBytes, seconds }
  const path = join(feature.tempDir, randomUUID())
  const bytes = await samplesAsWav(feature, mediaId, settings.pcmRate, path)
  return { mediaId: null, path, name, mime: mimeOf.wav, bytes, seconds }
}

function formatOf(mime: string): keyof typeof mimeOf {
  for (const format of ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const) if (mimeOf[format] === mime) return format
  return 'mp3'
}

async function samplesAsWav({ media }: SpeechFeature, mediaId: string, rate: number, path: string): Promise<number> {
  const from = media.pathOf(mediaId)
  if (from === null) throw new StudioError('no_such_item', 'The audio file of this speech is missing.')
  const { size } = await stat(from)
  const head = wavHead(pcmFormat(rate), size)
  await pipeline(
    async function* () {
      yield head
      yield* createReadStream(from, { highWaterMark: 1024 * 1024 })
    },
    createWriteStream(path, { flags: 'wx', mode: 0o600 }),
  )
  return head.length + size
}
