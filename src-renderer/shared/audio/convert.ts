import type { ConvertReply, ConvertRequest } from './convert.worker.ts'

/** Nothing in this browser reads that file. */
export class CannotConvert extends Error {
  override readonly name = 'CannotConvert'
}

/** Samples a second of what is made: what speech models listen at; an hour of it has 115 MB. */
export const wavRate = 16_000

/**
 * Decodes any audio (and the sound of a film) into a wav of one channel and 16 bits, in a thread of its own; what that has no decoder for is
 * given to the browser's own reader. `onProgress`: 0 to 1.
 * @throws CannotConvert, the signal's reason
 */
export async function toWav(
  file: Blob,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (share: number) => void },
): Promise<Blob> {
  const worker = new Worker(new URL('./convert.worker.ts', import.meta.url), { type: 'module' })
  const ask = (request: ConvertRequest, transfer: Transferable[] = []): Promise<Blob | null> =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<ConvertReply>) => {
        if (data.is === 'progress') onProgress(data.share)
        else resolve(data.is === 'wav' ? data.wav : null)
      }
      worker.onerror = () => resolve(null)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      worker.postMessage(request, transfer)
    })
  try {
    signal.throwIfAborted()
    const wav = await ask({ is: 'file', file, rate: wavRate })
    if (wav) return wav
    const channels = await readWhole(file)
    signal.throwIfAborted()
    const request = { is: 'samples', channels, rate: wavRate } as const
    const own = await ask(
      request,
      channels.map(({ buffer }) => buffer),
    )
    if (!own) throw new CannotConvert('Nothing in this browser reads that file.')
    return own
  } finally {
    worker.terminate()
  }
}

/**
 * By the browser's own reader, which knows more files but is not to be had in a worker, and holds all of the samples at once.
 * @throws CannotConvert
 */
async function readWhole(file: Blob): Promise<Float32Array<ArrayBuffer>[]> {
  try {
    // What it answers has the samples a second of its context.
    const context = new OfflineAudioContext(1, 1, wavRate)
    const sound = await context.decodeAudioData(await file.arrayBuffer())
    return Array.from({ length: sound.numberOfChannels }, (_, at) => sound.getChannelData(at).slice())
  } catch (cause) {
    throw new CannotConvert('Nothing in this browser reads that file.', { cause })
  }
}
