import { soundFile, typeByName } from '../../shared/audioFileTypes.ts'
import type { VoiceFeature } from './voice.ts'

/** Texts of recordings that are no longer there, for a page that lost the answer. Each is a few sentences. */
const keptTexts = 32

/**
 * Writes down what was said in an uploaded recording, streamed from the disk to the service. The upload is the intent: asked again for the
 * same one, also while the first request runs or after it succeeded, this answers the same and sends nothing. A caller that goes away
 * therefore ends nothing; dropping the upload does. A failure leaves the upload in place for another try.
 * @throws StudioError `no_such_item`, `bad_input`, `cancelled` where the upload was dropped, and what the service answers
 */
export function dictate(
  room: VoiceFeature,
  input: { uploadId: string; language?: string | undefined },
): Promise<{ text: string }> {
  const { dictations } = room
  const known = dictations.get(input.uploadId)
  if (known) return known
  const heard = hear(room, input)
  dictations.set(input.uploadId, heard)
  heard.then(
    () => {
      for (const oldest of [...dictations.keys()].slice(0, -keptTexts)) dictations.delete(oldest)
    },
    () => dictations.delete(input.uploadId),
  )
  return heard
}

async function hear(
  room: VoiceFeature,
  { uploadId, language }: { uploadId: string; language?: string | undefined },
): Promise<{ text: string }> {
  const { path, name, dropped } = room.uploads.take(uploadId)
  const file = await soundFile(path, typeByName(name))
  const upstream = await room.upstream()
  const request = { file, fileName: name, model: 'whisper-1', ...(language !== undefined && { language }) }
  const { text } = await upstream.createTranscription(request, { room: 'transcribe', signal: dropped })
  await room.uploads.done(uploadId)
  return { text: text.trim() }
}
