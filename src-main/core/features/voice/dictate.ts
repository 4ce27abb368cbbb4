import { soundFile, typeByName } from '../../shared/audioFileTypes.ts'
import type { VoiceFeature } from './voice.ts'

/** Number of recent results in memory, for a page that lost the reply. Each result has a few sentences. */
const maxResults = 32

/**
 * Transcribes an uploaded recording, streamed from disk to the service. The upload identifies the request. A second call for the same
 * upload, during the request or after its success, returns the same result and sends nothing. A caller that disconnects cancels nothing;
 * dropping the upload cancels the request. After a failure the upload stays for another attempt.
 * @throws StudioError `no_such_item`, `bad_input`, `cancelled` if the upload was dropped, and errors of the service
 */
export function dictate(
  feature: VoiceFeature,
  input: { uploadId: string; language?: string | undefined },
): Promise<{ text: string }> {
  const { dictations } = feature
  const known = dictations.get(input.uploadId)
  if (known) return known
  const result = transcribe(feature, input)
  dictations.set(input.uploadId, result)
  result.then(
    () => {
      for (const oldest of [...dictations.keys()].slice(0, -maxResults)) dictations.delete(oldest)
    },
    () => dictations.delete(input.uploadId),
  )
  return result
}

async function transcribe(
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
