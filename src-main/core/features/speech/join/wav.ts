import type { Joiner, Sound } from './joiner.ts'

interface Wav {
  /** The body of the `fmt ` chunk. */
  format: Buffer
  rate: number
  channels: number
  bits: number
  /** Bytes per sample of all channels, and bytes per second. */
  frame: number
  perSecond: number
  samples: Buffer
}

const mostLength = 0xffff_ffff

/** Reads RIFF with one `data` chunk. A streamed file has no valid length: its data extends to the end. */
export function readWav(bytes: Buffer): Wav | null {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE')
    return null
  let format: Buffer | null = null
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    const body = bytes.subarray(at + 8, Math.min(bytes.length, at + 8 + length))
    if (name === 'fmt ' && body.length >= 16) format = body
    if (name === 'data' && format) return asWav(format, length === 0 ? bytes.subarray(at + 8) : body)
    at += 8 + length + (length % 2)
  }
  return null
}

function asWav(format: Buffer, samples: Buffer): Wav | null {
  const frame = format.readUInt16LE(12)
  const perSecond = format.readUInt32LE(8)
  if (frame === 0 || perSecond === 0) return null
  return {
    format,
    channels: format.readUInt16LE(2),
    rate: format.readUInt32LE(4),
    bits: format.readUInt16LE(14),
    frame,
    perSecond,
    samples: samples.subarray(0, samples.length - (samples.length % frame)),
  }
}

/** The `fmt ` chunk for 16-bit mono samples. */
export function pcmFormat(rate: number): Buffer {
  const format = Buffer.alloc(16)
  format.writeUInt16LE(1, 0)
  format.writeUInt16LE(1, 2)
  format.writeUInt32LE(rate, 4)
  format.writeUInt32LE(rate * 2, 8)
  format.writeUInt16LE(2, 12)
  format.writeUInt16LE(16, 14)
  return format
}

/** The bytes before the samples. Above 4 GiB, the length field means "to the end", as in a streamed file. */
export function wavHead(format: Buffer, bytes: number): Buffer {
  const head = Buffer.alloc(28 + format.length)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(Math.min(mostLength, head.length - 8 + bytes + (bytes % 2)), 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(format.length, 16)
  format.copy(head, 20)
  head.write('data', 20 + format.length, 'latin1')
  head.writeUInt32LE(Math.min(mostLength, bytes), 24 + format.length)
  return head
}

export function wavSound(bytes: Buffer): Sound | null {
  const wav = readWav(bytes)
  if (!wav) return null
  const { samples, perSecond } = wav
  return { format: 'wav', seconds: samples.length / perSecond, like: likeOf(wav) }
}

const likeOf = ({ format, rate, channels, bits }: Wav): string =>
  `wav (kind ${format.readUInt16LE(0)}, ${rate} Hz, ${channels} × ${bits} bits)`

/** Copies the samples. Drops other chunks of the parts, such as texts. */
export function wavJoiner(first: Buffer): Joiner {
  const format = readWav(first)?.format ?? pcmFormat(24_000)
  let bytes = 0
  return {
    headBytes: 28 + format.length,
    *add(part) {
      const samples = readWav(part)?.samples
      if (!samples) return
      bytes += samples.length
      yield samples
    },
    end: () => ({
      rest: bytes % 2 === 1 ? [Buffer.alloc(1)] : [],
      head: wavHead(format, bytes),
      seconds: bytes / format.readUInt32LE(8),
    }),
  }
}

const pcmFrame = 2

export function pcmSound(bytes: Buffer, rate: number): Sound | null {
  if (bytes.length < pcmFrame) return null
  return { format: 'pcm', seconds: Math.floor(bytes.length / pcmFrame) / rate, like: `samples (${rate} Hz)` }
}

/** Copies plain samples. Drops half a sample at the end of a part, which would turn all following samples into noise. */
export function pcmJoiner(rate: number): Joiner {
  let bytes = 0
  return {
    headBytes: 0,
    *add(part) {
      const samples = part.subarray(0, part.length - (part.length % pcmFrame))
      bytes += samples.length
      yield samples
    },
    end: () => ({ rest: [], head: Buffer.alloc(0), seconds: bytes / pcmFrame / rate }),
  }
}
