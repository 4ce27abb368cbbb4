import type { Peaks } from './peakBuckets.ts'

/** Input of a decoder, with its time in s. */
export interface Packet {
  data: Uint8Array
  time: number
  /** s */
  seconds: number
}

/** Upper limit of packets in the decoder's queue. */
const maxWaiting = 64

/** The browser has no decoder for this format. */
export class NoDecoder extends Error {
  override readonly name = 'NoDecoder'
}

/**
 * Decodes packets in any order and with gaps, and adds their peaks. Packets that cannot be decoded alone, for example the first after a
 * gap, are skipped with a new decoder.
 * @throws NoDecoder
 */
export async function measurePackets(
  packets: AsyncIterable<Packet> | Iterable<Packet>,
  config: AudioDecoderConfig,
  peaks: Peaks,
  onSome: () => void,
): Promise<void> {
  if (!('AudioDecoder' in globalThis)) throw new NoDecoder('This browser has no AudioDecoder.')
  const { supported } = await AudioDecoder.isConfigSupported(config).catch(() => ({ supported: false }))
  if (!supported) throw new NoDecoder(`This browser cannot decode ${config.codec}.`)
  let channel = new Float32Array(0)
  let broken = false
  const make = (): AudioDecoder => {
    broken = false
    const made = new AudioDecoder({
      output: (audio) => {
        if (channel.length < audio.numberOfFrames) channel = new Float32Array(audio.numberOfFrames)
        const samples = channel.subarray(0, audio.numberOfFrames)
        for (let plane = 0; plane < audio.numberOfChannels; plane++) {
          audio.copyTo(samples, { planeIndex: plane, format: 'f32-planar' })
          peaks.addSamples(samples, audio.timestamp / 1e6, audio.sampleRate)
        }
        audio.close()
      },
      error: () => {
        broken = true
      },
    })
    made.configure(config)
    return made
  }
  let decoder = make()
  let reported = performance.now()
  for await (const { data, time, seconds } of packets) {
    if (broken || decoder.state === 'closed') decoder = make()
    decoder.decode(
      new EncodedAudioChunk({ type: 'key', timestamp: Math.round(time * 1e6), duration: seconds * 1e6, data }),
    )
    while (!broken && decoder.decodeQueueSize > maxWaiting) await dequeued(decoder)
    if (performance.now() - reported > 400) {
      reported = performance.now()
      onSome()
    }
  }
  if (!broken && decoder.state === 'configured') await decoder.flush().catch(() => undefined)
  if (decoder.state !== 'closed') decoder.close()
}

const dequeued = (decoder: AudioDecoder): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      decoder.removeEventListener('dequeue', done)
      resolve()
    }
    // A failed decoder emits no more dequeue events.
    const timer = setTimeout(done, 200)
    decoder.addEventListener('dequeue', done)
  })
