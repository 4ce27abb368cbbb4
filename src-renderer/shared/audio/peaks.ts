import { fromBase64, toBase64 } from '../../api/base64.ts'
import type { Client } from '../../api/connect.ts'
import type { PeaksAnswer, PeaksQuestion } from './peaks.worker.ts'

/** The peaks of a file over time: one byte per bucket of equal length, 255 is full scale. */
export interface Overview {
  peaks: Uint8Array<ArrayBuffer>
  seconds: number
  /** False while the values are rough. */
  whole: boolean
}

/** Why there are no peaks. The file may still be playable. */
export class NoOverview extends Error {
  override readonly name = 'NoOverview'
  readonly why: 'missing' | 'unreadable' | 'undecodable'

  constructor(why: NoOverview['why'], message: string) {
    super(message)
    this.why = why
  }
}

/**
 * Reports the peaks of a stored file: at once from the cache, otherwise first roughly, then exactly, from a worker. Exact peaks are cached
 * in the core.
 * @throws NoOverview; the signal's reason
 */
export async function overviewOf(
  client: Client,
  { mediaId, address, pcmRate }: { mediaId: string } & PeaksQuestion,
  onOverview: (overview: Overview) => void,
  signal: AbortSignal,
): Promise<void> {
  // The cache is optional: without it, the file itself is measured.
  const kept = await client.media.peaks({ mediaId }, { signal }).catch(() => null)
  signal.throwIfAborted()
  if (kept && kept.data !== '') {
    onOverview({ peaks: fromBase64(kept.data), seconds: kept.seconds, whole: true })
    return
  }
  const { peaks, seconds } = await measure({ address, pcmRate }, onOverview, signal)
  await client.media.savePeaks({ mediaId, data: toBase64(peaks), seconds }).catch(() => undefined)
}

/**
 * Measures a file in a worker, which ends with the answer.
 * @throws NoOverview; the signal's reason
 */
export function measure(
  question: PeaksQuestion,
  onOverview: (overview: Overview) => void,
  signal: AbortSignal,
): Promise<Overview> {
  const worker = new Worker(new URL('./peaks.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<Overview>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<PeaksAnswer>) => {
      if (data.type === 'failed') return reject(new NoOverview(data.why, data.message))
      const overview = { peaks: data.peaks, seconds: data.seconds, whole: data.type === 'all' }
      onOverview(overview)
      if (overview.whole) resolve(overview)
    }
    worker.onerror = () => reject(new NoOverview('unreadable', 'The worker failed.'))
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    worker.postMessage(question)
  }).finally(() => worker.terminate())
}

/** Bar heights, 0 to 1, scaled so that the loudest bar has the full height. */
export function heightsOf(peaks: Uint8Array): Float32Array {
  let top = 1
  for (const value of peaks) if (value > top) top = value
  return Float32Array.from(peaks, (value) => value / top)
}
