import { type AudioCodec, type AudioSample, CustomAudioEncoder, EncodedPacket } from 'mediabunny'
import OpusScript from 'opusscript'

const frame = 480 // 20 ms at 24 kHz
// libopus looks 2.5 ms ahead and its delay compensation is 4 ms: 6.5 ms in 48 kHz units (RFC 7845 section 4.2, always 48 kHz).
const preSkip = 312

const opusHead = (sampleRate: number): Uint8Array => {
  const head = Buffer.alloc(19)
  head.write('OpusHead', 0, 'latin1')
  head.writeUInt8(1, 8)
  head.writeUInt8(1, 9)
  head.writeUInt16LE(preSkip, 10)
  head.writeUInt32LE(sampleRate, 12)
  return head
}

/** libopus 1.4 in WebAssembly as a mediabunny encoder: mono speech at 24 kHz, 20 ms per packet. */
export class OpusSpeechEncoder extends CustomAudioEncoder {
  #opus: OpusScript | undefined
  #pending: number[] = []
  #packets = 0

  static override supports(codec: AudioCodec, config: { sampleRate: number; numberOfChannels: number }): boolean {
    return codec === 'opus' && config.sampleRate === 24_000 && config.numberOfChannels === 1
  }

  init(): void {
    this.#opus = new OpusScript(24_000, 1, OpusScript.Application.AUDIO)
    this.#opus.setBitrate(32_000)
  }

  encode(sample: AudioSample): void {
    const pcm = new Int16Array(sample.numberOfFrames)
    sample.copyTo(pcm, { planeIndex: 0, format: 's16' })
    for (const value of pcm) this.#pending.push(value)
    while (this.#pending.length >= frame) this.#emit(this.#pending.splice(0, frame))
  }

  flush(): void {
    // One additional frame, so that the decoder's delay does not cut off the end.
    while (this.#pending.length < frame) this.#pending.push(0)
    this.#emit(this.#pending.splice(0, frame))
  }

  close(): void {
    this.#opus?.delete()
    this.#opus = undefined
  }

  #emit(values: number[]): void {
    if (!this.#opus) throw new Error('The Opus encoder is closed')
    const pcm = Buffer.from(Int16Array.from(values).buffer)
    const bytes = new Uint8Array(this.#opus.encode(pcm, frame))
    const decoderConfig = { codec: 'opus', sampleRate: 48_000, numberOfChannels: 1, description: opusHead(24_000) }
    this.onPacket(new EncodedPacket(bytes, 'key', this.#packets * 0.02, 0.02), { decoderConfig })
    this.#packets += 1
  }
}
