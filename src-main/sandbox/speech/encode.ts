import { registerAacEncoder } from '@mediabunny/aac-encoder'
import { registerFlacEncoder } from '@mediabunny/flac-encoder'
import { registerMp3Encoder } from '@mediabunny/mp3-encoder'
import {
  AdtsOutputFormat,
  type AudioCodec,
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  FlacOutputFormat,
  Mp3OutputFormat,
  OggOutputFormat,
  Output,
  type OutputFormat,
  registerEncoder,
} from 'mediabunny'
import { OpusSpeechEncoder } from './opusEncoder.ts'
import type { SandboxSpeechFormat } from './request.ts'

/** Rate of all synthesized speech, Hz. */
export const sampleRate = 24_000
/** Tags of the file. `comment` is the spoken text, which the transcriber reads. */
export type Tags = { comment: string; artist: string }

registerMp3Encoder()
registerAacEncoder()
registerFlacEncoder()
registerEncoder(OpusSpeechEncoder)

type Compressed = Exclude<SandboxSpeechFormat, 'wav' | 'pcm'>
const plans: Record<Compressed, { codec: AudioCodec; container: () => OutputFormat; bitrate?: number }> = {
  mp3: { codec: 'mp3', container: () => new Mp3OutputFormat(), bitrate: 64_000 },
  opus: { codec: 'opus', container: () => new OggOutputFormat(), bitrate: 32_000 },
  aac: { codec: 'aac', container: () => new AdtsOutputFormat(), bitrate: 64_000 },
  flac: { codec: 'flac', container: () => new FlacOutputFormat() },
}

/** Encodes mono 16-bit samples at 24 kHz. PCM has only the samples, little endian, and no tags. */
export const encode = async (
  samples: Int16Array<ArrayBuffer>,
  format: SandboxSpeechFormat,
  tags: Tags,
): Promise<Uint8Array> => {
  if (format === 'pcm') return littleEndian(samples)
  if (format === 'wav') return wav(samples, tags)
  const plan = plans[format]
  const target = new BufferTarget()
  const output = new Output({ format: plan.container(), target })
  const source = new AudioSampleSource({ codec: plan.codec, ...(plan.bitrate ? { bitrate: plan.bitrate } : {}) })
  output.addAudioTrack(source)
  output.setMetadataTags(tags)
  await output.start()
  // One second at a time, so that the encoder's input buffer stays small.
  for (let at = 0; at < samples.length; at += sampleRate) {
    const data = samples.slice(at, at + sampleRate)
    const sample = new AudioSample({ data, format: 's16', numberOfChannels: 1, sampleRate, timestamp: at / sampleRate })
    await source.add(sample)
    sample.close()
  }
  await output.finalize()
  if (!target.buffer) throw new Error('The encoder gave no bytes')
  return new Uint8Array(target.buffer)
}

const littleEndian = (samples: Int16Array): Buffer => {
  const bytes = Buffer.alloc(samples.length * 2)
  for (let i = 0; i < samples.length; i++) bytes.writeInt16LE(samples[i] ?? 0, i * 2)
  return bytes
}

const chunk = (id: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(8)
  head.write(id, 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
}

/** Writes a WAV file with INFO text in UTF-8, as ffmpeg does, because tags must allow any script. */
const wav = (samples: Int16Array, tags: Tags): Buffer => {
  const format = Buffer.alloc(16)
  format.writeUInt16LE(1, 0)
  format.writeUInt16LE(1, 2)
  format.writeUInt32LE(sampleRate, 4)
  format.writeUInt32LE(sampleRate * 2, 8)
  format.writeUInt16LE(2, 12)
  format.writeUInt16LE(16, 14)
  const zero = (text: string): Buffer => Buffer.from(`${text}\0`)
  const info = [Buffer.from('INFO'), chunk('IART', zero(tags.artist)), chunk('ICMT', zero(tags.comment))]
  const parts = [Buffer.from('WAVE'), chunk('fmt ', format), chunk('LIST', Buffer.concat(info))]
  return chunk('RIFF', Buffer.concat([...parts, chunk('data', littleEndian(samples))]))
}
