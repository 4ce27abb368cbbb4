import {
  ALL_FORMATS,
  AudioSample,
  AudioSampleSource,
  BlobSource,
  BufferTarget,
  Conversion,
  Input,
  Output,
  WavOutputFormat,
} from 'mediabunny'

export type ConvertRequest =
  | { is: 'file'; file: Blob; rate: number }
  | { is: 'samples'; channels: Float32Array<ArrayBuffer>[]; rate: number }
export type ConvertReply =
  | { is: 'progress'; share: number }
  | { is: 'wav'; wav: Blob }
  /** The worker has no decoder for the file. */
  | { is: 'unreadable' }

const reply = (given: ConvertReply): void => postMessage(given)

addEventListener('message', ({ data }: MessageEvent<ConvertRequest>) => {
  const made = data.is === 'file' ? fromFile(data.file, data.rate) : fromSamples(data.channels, data.rate)
  made.then(
    (wav) => reply(wav ? { is: 'wav', wav } : { is: 'unreadable' }),
    // The bytes are untrusted, so any error means that the file is unreadable.
    () => reply({ is: 'unreadable' }),
  )
})

/** Converts the first sound track. Null when there is none, or no decoder for it. */
async function fromFile(file: Blob, rate: number): Promise<Blob | null> {
  const input = new Input({ source: new BlobSource(file), formats: ALL_FORMATS })
  const target = new BufferTarget()
  const output = new Output({ format: new WavOutputFormat(), target })
  const conversion = await Conversion.init({
    input,
    output,
    tracks: 'primary',
    video: { discard: true },
    audio: { codec: 'pcm-s16', numberOfChannels: 1, sampleRate: rate, forceTranscode: true },
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
  return target.buffer && wavOf(target.buffer)
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
