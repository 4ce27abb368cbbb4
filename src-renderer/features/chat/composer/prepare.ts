export interface Size {
  width: number
  height: number
  bytes: number
}

export interface Prepared {
  /** The re-encoded picture. Null: the file is sent unchanged. */
  blob: Blob | null
  from: Size
  to: Size
  /** The original type, when converted. */
  converted: string | null
  /** Rotated according to its EXIF block. */
  upright: boolean
  /** An animation that was reduced to its first frame. */
  lostFrames: boolean
}

/** The file is not a readable picture. */
export class NoPicture extends Error {
  override readonly name = 'NoPicture'
}

/**
 * Reads a picture and scales it down if it is too large. Uses one worker per picture.
 * @throws NoPicture
 */
export function prepare(file: Blob, signal: AbortSignal): Promise<Prepared> {
  const worker = new Worker(new URL('./prepare.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<Prepared>((resolve, reject) => {
    const failed = (): void => reject(new NoPicture('The file is not a readable picture.'))
    worker.onmessage = ({ data }: MessageEvent<Prepared | { failed: string }>) => {
      if ('failed' in data) failed()
      else resolve(data)
    }
    worker.onerror = failed
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    worker.postMessage({ file })
  }).finally(() => worker.terminate())
}
