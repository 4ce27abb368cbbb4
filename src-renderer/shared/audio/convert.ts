import type { ConvertPart, ConvertReply, ConvertRequest, ConvertTarget } from './convert.worker.ts'

/** This browser has no decoder for the file, or no encoder for the target. */
export class CannotConvert extends Error {
  override readonly name = 'CannotConvert'
}

/** Samples per second of the output, as speech models expect. One hour is 115 MB. */
export const wavRate = 16_000

interface ConvertOptions {
  target: ConvertTarget
  /** Null: the whole recording. */
  part: ConvertPart | null
  signal: AbortSignal
  /** Receives 0 to 1. */
  onProgress: (share: number) => void
}

/**
 * Converts any audio, or the sound track of a video, to mono 16-bit WAV or to Opus in Ogg, in a worker. For WAV of a whole file, falls back
 * to the browser's own decoder for unknown formats.
 * @throws CannotConvert; the signal's reason
 */
export async function convertSound(file: Blob, { target, part, signal, onProgress }: ConvertOptions): Promise<Blob> {
  const worker = new Worker(new URL('./convert.worker.ts', import.meta.url), { type: 'module' })
  const ask = (request: ConvertRequest, transfer: Transferable[] = []): Promise<Blob | null> =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<ConvertReply>) => {
        if (data.is === 'progress') onProgress(data.share)
        else resolve(data.is === 'done' ? data.sound : null)
      }
      worker.onerror = () => resolve(null)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      worker.postMessage(request, transfer)
    })
  try {
    signal.throwIfAborted()
    const converted = await ask({ is: 'file', file, rate: wavRate, target, part })
    if (converted) return converted
    if (target !== 'wav' || part !== null) throw new CannotConvert('This browser can’t encode the file.')
    const channels = await readWhole(file)
    signal.throwIfAborted()
    const request = { is: 'samples', channels, rate: wavRate } as const
    const own = await ask(
      request,
      channels.map(({ buffer }) => buffer),
    )
    if (!own) throw new CannotConvert('No decoder in this browser reads the file.')
    return own
  } finally {
    worker.terminate()
  }
}

/**
 * Decodes with the browser's own decoder, which supports more formats but does not exist in workers and needs all samples in memory.
 * @throws CannotConvert
 */
async function readWhole(file: Blob): Promise<Float32Array<ArrayBuffer>[]> {
  try {
    // decodeAudioData resamples to the rate of its context.
    const context = new OfflineAudioContext(1, 1, wavRate)
    const sound = await context.decodeAudioData(await file.arrayBuffer())
    return Array.from({ length: sound.numberOfChannels }, (_, at) => sound.getChannelData(at).slice())
  } catch (cause) {
    throw new CannotConvert('No decoder in this browser reads the file.', { cause })
  }
}
