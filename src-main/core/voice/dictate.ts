import { soundFile, typeByName } from '../soundFile.ts'
import type { VoiceRoom } from './voice.ts'

/**
 * What was said in an uploaded recording, streamed from the disk to the service. The upload stays until this succeeds, so that
 * trying again sends nothing twice over the page's connection.
 * @throws StudioError `no_such_item`, `bad_input`, and what the service answers
 */
export async function dictate(
  room: VoiceRoom,
  { uploadId, language }: { uploadId: string; language?: string | undefined },
  signal?: AbortSignal,
): Promise<{ text: string }> {
  const { path, name } = room.uploads.take(uploadId)
  const file = await soundFile(path, typeByName(name))
  const upstream = await room.upstream()
  const request = { file, fileName: name, model: 'whisper-1', ...(language !== undefined && { language }) }
  const { text } = await upstream.createTranscription(request, { room: 'transcribe', ...(signal && { signal }) })
  await room.uploads.done(uploadId)
  return { text: text.trim() }
}
