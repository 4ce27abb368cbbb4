import {
  ALL_FORMATS,
  AudioSample,
  AudioSampleSource,
  BlobSource,
  BufferTarget,
  Conversion,
  Input,
  OggOutputFormat,
  Output,
  WavOutputFormat,
} from 'mediabunny'

/** WAV, or speech in Opus at a sixteenth of its size. */
export type ConvertTarget = 'wav' | 'opus'
/** A part of a recording, s. */
export interface ConvertPart {
  from: number
  to: number
}
export type ConvertRequest =
  | { is: 'file'; file: Blob; rate: number; target: ConvertTarget; part: ConvertPart | null }
  | { is: 'samples'; channels: Float32Array<ArrayBuffer>[]; rate: number }
export type ConvertReply =
  | { is: 'progress'; share: number }
  | { is: 'done'; sound: Blob }
  /** The worker has no decoder for the file. */
  | { is: 'unreadable' }

const reply = (given: ConvertReply): void => postMessage(given)

addEventListener('message', ({ data }: MessageEvent<ConvertRequest>) => {
  const made = data.is === 'file' ? fromFile(data) : fromSamples(data.channels, data.rate)
  made.then(
    (sound) => reply(sound ? { is: 'done', sound } : { is: 'unreadable' }),
    // The bytes are untrusted, so any error means that the file is unreadable.
    () => reply({ is: 'unreadable' }),
  )
})

/** Bits per second of compressed speech: clear, and 11 MB per hour. */
const opusRate = 24_000

/** Converts the first sound track. Null when there is none, no decoder for it, or no encoder for the target. */
async function fromFile(given: Extract<ConvertRequest, { is: 'file' }>): Promise<Blob | null> {
  const { file, rate, part } = given
  const isWav = given.target === 'wav'
  const input = new Input({ source: new BlobSource(file), formats: ALL_FORMATS })
  const target = new BufferTarget()
  const output = new Output({ format: isWav ? new WavOutputFormat() : new OggOutputFormat(), target })
  const conversion = await Conversion.init({
    input,
    output,
    tracks: 'primary',
    video: { discard: true },
    audio: {
      ...(isWav ? { codec: 'pcm-s16' as const } : { codec: 'opus' as const, bitrate: opusRate }),
      numberOfChannels: 1,
      sampleRate: rate,
      forceTranscode: true,
    },
    ...(part && { trim: { start: part.from, end: part.to } }),
    showWarnings: false,
  })
  if (!conversion.isValid || conversion.utilizedTracks.length === 0) return null
  let reported = 0
  conversion.onProgress = (share) => {
    if (share - reported < 0.01) return
    reported = share
    reply({ is: 'progress', share })
  }
  await conversion.execute()
  return target.buffer && new Blob([target.buffer], { type: isWav ? 'audio/wav' : 'audio/ogg' })
}

/** Samples per chunk. */
const piece = 1 << 18

async function fromSamples(channels: Float32Array<ArrayBuffer>[], rate: number): Promise<Blob | null> {
  const length = channels[0]?.length ?? 0
  if (length === 0) return null
  const target = new BufferTarget()
  const output = new Output({ format: new WavOutputFormat(), target })
  const source = new AudioSampleSource({ codec: 'pcm-s16' })
  output.addAudioTrack(source)
  await output.start()
  for (let at = 0; at < length; at += piece) {
    const data = mixed(channels, at, Math.min(length, at + piece))
    const sample = new AudioSample({
      data,
      format: 'f32',
      numberOfChannels: 1,
      sampleRate: rate,
      timestamp: at / rate,
    })
    await source.add(sample)
    sample.close()
    reply({ is: 'progress', share: at / length })
  }
  await output.finalize()
  return target.buffer && wavOf(target.buffer)
}

function mixed(channels: Float32Array[], from: number, to: number): Float32Array<ArrayBuffer> {
  const sum = new Float32Array(to - from)
  for (const channel of channels) {
    for (let at = from; at < to; at++) sum[at - from] = (sum[at - from] ?? 0) + (channel[at] ?? 0) / channels.length
  }
  return sum
}

const wavOf = (buffer: ArrayBuffer): Blob => new Blob([buffer], { type: 'audio/wav' })
