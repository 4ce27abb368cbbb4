import type { SpeechEvent } from '../../../../src-preload/contract/media.ts'
import { StudioError } from '../../errors.ts'
import type { Feed } from '../../shared/events.ts'
import type { VoiceFeature } from './voice.ts'

/** What every browser engine plays while it arrives. */
const mime = 'audio/mpeg'

/**
 * Reads a text aloud: the plan, then the audio as it comes. One part is asked for once the one before it has come whole, and a slow reader
 * slows the service down. With `part`, that one alone, so that who plays decides when the next is asked for and paid.
 * Aborting ends the request that is under way at once.
 * @throws StudioError `bad_input` where there is nothing to say or no such part, and what the service answers
 */
export async function* speak(
  feature: VoiceFeature,
  { text, voice, part }: { text: string; voice?: string | undefined; part?: number | undefined },
  signal?: AbortSignal,
): Feed<SpeechEvent> {
  // The parser of Markdown is loaded by the first text that is read.
  const [{ speakable }, { splitForSpeech }] = await Promise.all([
    import('./speakable.ts'),
    import('../../shared/text/speechSplit.ts'),
  ])
  const parts = splitForSpeech(speakable(text))
  if (parts.length === 0) throw new StudioError('bad_input', 'There is nothing in this message to read aloud.')
  const first = part ?? 1
  const last = part ?? parts.length
  if (first > parts.length) throw new StudioError('bad_input', 'The text has no such part.')
  const bytes = parts.reduce((sum, one) => sum + Buffer.byteLength(one), 0)
  yield { type: 'plan', parts: parts.length, bytes, mime }
  const upstream = await feature.upstream()
  const chosen = voice ?? feature.voice()
  // The caller's going away ends the request at once, also while it waits for bytes.
  for (let number = first; number <= last; number++) {
    const request = {
      model: 'tts-1',
      input: parts[number - 1] ?? '',
      response_format: 'mp3',
      ...(chosen !== null && { voice: chosen }),
    }
    const reply = await upstream.createSpeech(request, { feature: 'speech', ...(signal && { signal }) })
    for await (const chunk of reply.bytes) {
      yield { type: 'audio', part: number, data: Buffer.from(chunk).toString('base64') }
    }
  }
  yield { type: 'end' }
}
