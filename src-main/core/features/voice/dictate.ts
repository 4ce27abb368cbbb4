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
  feature: VoiceFeature,
  input: { uploadId: string; language?: string | undefined },
): Promise<{ text: string }> {
  const { dictations } = feature
  const known = dictations.get(input.uploadId)
  if (known) return known
  const heard = hear(feature, input)
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
  feature: VoiceFeature,
  { uploadId, language }: { uploadId: string; language?: string | undefined },
): Promise<{ text: string }> {
  const { path, name, dropped } = feature.uploads.take(uploadId)
  const file = await soundFile(path, typeByName(name))
  const upstream = await feature.upstream()
  const request = { file, fileName: name, model: 'whisper-1', ...(language !== undefined && { language }) }
  const { text } = await upstream.createTranscription(request, { feature: 'transcribe', signal: dropped })
  await feature.uploads.done(uploadId)
  return { text: text.trim() }
}
