import { StudioError } from '../../errors.ts'
import type { VoiceFeature } from './voice.ts'

/** Largest sample, bytes. A sentence is about 50 KB; the service must not fill the disk. */
const maxBytes = 5_000_000

/**
 * A short sample of a voice as a media file. Requested from the service once and then stored, for all windows: the same voice, text and
 * service never cost twice. Concurrent calls share one request, which a closed window does not cancel, because it is paid for.
 * @throws StudioError `malformed_reply` for a sample that is too large, `not_connected`, and errors of the service
 */
export async function sample(
  feature: VoiceFeature,
  { voice, text }: { voice: string; text: string },
): Promise<{ mediaId: string }> {
  const upstream = await feature.upstream()
  const key = { service: upstream.base.url, voice, text }
  const stored = feature.samples.find(key)
  if (stored !== null) return { mediaId: stored }
  const name = JSON.stringify(key)
  const running = feature.runningSamples.get(name) ?? request()
  feature.runningSamples.set(name, running)
  try {
    return { mediaId: await running }
  } finally {
    if (feature.runningSamples.get(name) === running) feature.runningSamples.delete(name)
  }

  async function request(): Promise<string> {
    const speech = { model: 'tts-1', input: text, voice, response_format: 'mp3' }
    const reply = await upstream.createSpeech(speech, { feature: 'speech' })
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of reply.bytes) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw new StudioError('malformed_reply', `The sample of ${voice} has more than 5 MB.`)
      chunks.push(Uint8Array.from(chunk))
    }
    if (bytes === 0) throw new StudioError('malformed_reply', `The sample of ${voice} is empty.`)
    const { id } = await feature.addSound({ bytes: chunks }, { mime: 'audio/mpeg', name: null }, (item) =>
      feature.samples.save(key, item.id),
    )
    return id
  }
}
