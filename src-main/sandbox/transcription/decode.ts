import { setImmediate as breathe } from 'node:timers/promises'
import { FLACDecoder } from '@wasm-audio-decoders/flac'
import { ALL_FORMATS, AudioSampleSink, BufferSource, EncodedPacketSink, Input, type InputAudioTrack } from 'mediabunny'
import { MPEGDecoder } from 'mpg123-decoder'
import OpusScript from 'opusscript'
import { resample } from '../speech/resample.ts'
import { MediaError } from './mediaError.ts'
import { vadRate } from './segments.ts'

/** `samples` is null if the container is readable but its codec cannot be decoded here (AAC). Comment and artist are tags. */
export type Decoded = {
  samples: Float32Array | null
  durationMs: number
  comment: string
  artist: string
  codec: string
}

/** Audio after two hours is not decoded, because a few kilobytes of silence can claim to be days long. */
const longestSeconds = 2 * 60 * 60

/** Reads WAV, MP3, FLAC, Ogg, WebM and MP4 audio, and plain 24 kHz PCM by its file name. Throws MediaError. */
export const decode = async (bytes: Uint8Array, fileName: string): Promise<Decoded> => {
  if (/\.(pcm|raw)$/i.test(fileName)) return decodePcm(bytes)
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) })
  try {
    const track = await input.getPrimaryAudioTrack()
    if (!track) throw new MediaError('The file has no audio track')
    const codec = track.codec ?? 'unknown'
    const tags = await readTags(input, bytes)
    const mix = new Mix()
    const decodable = await decodeTrack(track, codec, bytes, mix)
    if (!decodable) {
      const seconds = await input.computeDuration()
      return { samples: null, durationMs: Math.round(seconds * 1000), codec, ...tags }
    }
    const samples = mix.finish()
    if (samples.length === 0) throw new MediaError('The file contains no sound')
    return { samples, durationMs: Math.round((samples.length / vadRate) * 1000), codec, ...tags }
  } catch (error) {
    if (error instanceof MediaError) throw error
    throw new MediaError('The file is not audio that can be read here', { cause: error })
  } finally {
    input.dispose()
  }
}

const decodePcm = (bytes: Uint8Array): Decoded => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const samples = new Float32Array(bytes.length >> 1)
  for (let i = 0; i < samples.length; i++) samples[i] = view.getInt16(i * 2, true) / 32_768
  if (samples.length === 0) throw new MediaError('The file contains no sound')
  const durationMs = Math.round(samples.length / 24)
  return { samples: resample(samples, 24_000, vadRate), durationMs, codec: 'pcm', comment: '', artist: '' }
}

const decodeTrack = async (track: InputAudioTrack, codec: string, bytes: Uint8Array, mix: Mix): Promise<boolean> => {
  if (codec.startsWith('pcm-') || codec === 'ulaw' || codec === 'alaw') await decodeSamples(track, mix)
  else if (codec === 'opus') await decodeOpus(track, mix)
  else if (codec === 'mp3') await decodeWhole(new MPEGDecoder(), bytes, mix)
  else if (codec === 'flac') await decodeWhole(new FLACDecoder(), bytes, mix)
  else return false
  return true
}

const decodeSamples = async (track: InputAudioTrack, mix: Mix): Promise<void> => {
  for await (const sample of new AudioSampleSink(track).samples()) {
    const channels: Float32Array[] = []
    for (let planeIndex = 0; planeIndex < sample.numberOfChannels; planeIndex++) {
      const plane = new Float32Array(sample.numberOfFrames)
      sample.copyTo(plane, { planeIndex, format: 'f32-planar' })
      channels.push(plane)
    }
    mix.add(channels, sample.sampleRate)
    sample.close()
    if (mix.full) return
  }
}

const decodeOpus = async (track: InputAudioTrack, mix: Mix): Promise<void> => {
  const count = track.numberOfChannels === 1 ? 1 : 2
  const opus = new OpusScript(48_000, count)
  try {
    for await (const packet of new EncodedPacketSink(track).packets()) {
      const pcm = opus.decode(Buffer.from(packet.data))
      const frames = pcm.length / 2 / count
      const channels = Array.from({ length: count }, (_, channel) =>
        Float32Array.from({ length: frames }, (_value, i) => pcm.readInt16LE((i * count + channel) * 2) / 32_768),
      )
      mix.add(channels, 48_000)
      if (mix.full) return
    }
  } finally {
    opus.delete()
  }
}

type Streaming = {
  ready: Promise<void>
  decode(bytes: Uint8Array): Decoding | Promise<Decoding>
  free(): void | Promise<void>
}
type Decoding = { channelData: Float32Array[]; sampleRate: number }

const decodeWhole = async (decoder: Streaming, bytes: Uint8Array, mix: Mix): Promise<void> => {
  await decoder.ready
  try {
    for (let at = 0; at < bytes.length && !mix.full; at += 65_536) {
      const { channelData, sampleRate } = await decoder.decode(bytes.subarray(at, at + 65_536))
      mix.add(channelData, sampleRate)
      await breathe()
    }
    const { channelData, sampleRate } = await flush(decoder)
    mix.add(channelData, sampleRate)
  } finally {
    await decoder.free()
  }
}

const flush = async (decoder: Streaming): Promise<Decoding> =>
  decoder instanceof FLACDecoder ? decoder.flush() : { channelData: [], sampleRate: 0 }

/** Mixes any channels at one rate into one mono signal at the detector's rate. */
class Mix {
  #parts: Float32Array[] = []
  #length = 0
  #rate = 0

  get full(): boolean {
    return this.#length > longestSeconds * Math.max(1, this.#rate)
  }

  add(channels: Float32Array[], rate: number): void {
    const [first] = channels
    if (!first || first.length === 0 || rate <= 0) return
    const mono = first.map((_, i) => channels.reduce((sum, channel) => sum + (channel[i] ?? 0), 0) / channels.length)
    this.#rate ||= rate
    this.#parts.push(mono)
    this.#length += mono.length
  }

  finish(): Float32Array {
    const whole = new Float32Array(this.#length)
    let at = 0
    for (const part of this.#parts) {
      whole.set(part, at)
      at += part.length
    }
    return this.#rate > 0 ? resample(whole, this.#rate, vadRate) : whole
  }
}

const readTags = async (input: Input, bytes: Uint8Array): Promise<{ comment: string; artist: string }> => {
  const riff = riffInfo(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (riff) return riff
  const tags = await input.getMetadataTags()
  return { comment: tags.comment ?? '', artist: tags.artist ?? '' }
}

/** INFO text as UTF-8, because mediabunny reads it as ISO 8859-1. Null if the file is not RIFF. */
const riffInfo = (file: Buffer): { comment: string; artist: string } | null => {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE') return null
  const found = { comment: '', artist: '' }
  for (let at = 12; at + 8 <= file.length; ) {
    const id = file.toString('latin1', at, at + 4)
    const size = file.readUInt32LE(at + 4)
    const text = file.toString('utf8', at + 8, Math.min(file.length, at + 8 + size)).replace(/\0.*$/s, '')
    if (id === 'ICMT') found.comment = text
    if (id === 'IART') found.artist = text
    // Descends into an INFO list and skips everything else.
    const inside = id === 'LIST' && file.toString('latin1', at + 8, at + 12) === 'INFO'
    at += inside ? 12 : 8 + size + (size % 2)
  }
  return found
}
