import type { SpeechEvent } from '../../../../src-preload/contract/media.ts'
import { StudioError } from '../../errors.ts'
import type { Feed } from '../../shared/events.ts'
import { splitForSpeech } from '../../shared/text/speechSplit.ts'
import type { VoiceFeature } from './voice.ts'

/** A format that every browser engine plays while it streams. */
const mime = 'audio/mpeg'

/**
 * Reads a text without markup aloud: yields the plan, then the audio as it arrives. Requests each part when the previous part is complete. A slow consumer
 * slows the transfer down. With `part`, requests only that part, so that the player decides when the next part is requested and paid for.
 * Aborting ends the running request at once.
 * @throws StudioError `bad_input` for a text without anything to say or an invalid part, and errors of the service
 */
export async function* speak(
  feature: VoiceFeature,
  { text, voice, part }: { text: string; voice?: string | undefined; part?: number | undefined },
  signal?: AbortSignal,
): Feed<SpeechEvent> {
  const parts = splitForSpeech(text)
  if (parts.length === 0) throw new StudioError('bad_input', 'This message contains nothing to read aloud.')
  const first = part ?? 1
  const last = part ?? parts.length
  if (first > parts.length) throw new StudioError('bad_input', 'The text does not have this part.')
  const bytes = parts.reduce((sum, one) => sum + Buffer.byteLength(one), 0)
  yield { type: 'plan', parts: parts.length, bytes, mime }
  const upstream = await feature.upstream()
  const chosen = voice ?? feature.voice()
  for (let number = first; number <= last; number++) {
    const request = {
      model: 'tts-1',
      input: parts[number - 1] ?? '',
      response_format: 'mp3',
      ...(chosen !== null && { voice: chosen }),
    }
    const reply = await upstream.createSpeech(request, { feature: 'speech', ...(signal && { signal }) })
    for await (const chunk of reply.bytes) {
      yield { type: 'audio', part: number, data: new Uint8Array(chunk) }
    }
  }
  yield { type: 'end' }
}
