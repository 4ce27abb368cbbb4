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
 * The audio as a file that goes down. `wav` puts a head before samples that have none. @throws StudioError `no_such_item`, `bad_input` for
 * another kind of audio as wav, `busy`
 */
export async function save(feature: SpeechFeature, { id, as }: { id: string; as: 'made' | 'wav' }): Promise<Download> {
  const { store, media, downloads, tempDir } = feature
  const { mediaId, excerpt, settings, mime } = store.speeches.get(id)
  if (mediaId === null) throw new StudioError('no_such_item', 'Nothing of this speech has come yet.')
  const path = join(tempDir, randomUUID())
  const asWav = as === 'wav' && mime === mimeOf.pcm
  if (as === 'wav' && !asWav && mime !== mimeOf.wav) {
    throw new StudioError('bad_input', 'Only samples (pcm) can be saved as wav; this has a format of its own already.')
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

/** What was spoken, for another room: a file that is kept, or one that is given away. */
export type SpokenSound = { name: string; mime: string; bytes: number; seconds: number | null } & (
  | { mediaId: string; path: null }
  | { mediaId: null; path: string }
)

/** Samples without a head tell nobody what they are: outside of this room they are a wav. @throws StudioError `no_such_item` */
export async function soundOf(feature: SpeechFeature, id: string): Promise<SpokenSound> {
  const { mediaId, mediaBytes, excerpt: name, settings, mime, seconds } = feature.store.speeches.get(id)
  if (mediaId === null) throw new StudioError('no_such_item', 'Nothing of that speech has come yet.')
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
  if (from === null) throw new StudioError('no_such_item', 'The audio of this speech is not there any more.')
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
