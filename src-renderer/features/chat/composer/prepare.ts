export interface Size {
  width: number
  height: number
  bytes: number
}

export interface Prepared {
  /** Drawn anew; null: the file goes as it is. */
  blob: Blob | null
  from: Size
  to: Size
  /** The type it was given, where that is another one. */
  converted: string | null
  /** Turned as its EXIF block said. */
  upright: boolean
  /** It moved, and only its first frame is left. */
  lostFrames: boolean
}

/** A file that no picture could be read from. */
export class NoPicture extends Error {
  override readonly name = 'NoPicture'
}

/** Reads a picture and makes it smaller where it is too large to send. One thread a picture, gone with it. @throws NoPicture */
export function prepare(file: Blob, signal: AbortSignal): Promise<Prepared> {
  const worker = new Worker(new URL('./prepare.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<Prepared>((resolve, reject) => {
    const failed = (): void => reject(new NoPicture('No picture can be read from this file.'))
    worker.onmessage = ({ data }: MessageEvent<Prepared | { failed: string }>) => {
      if ('failed' in data) failed()
      else resolve(data)
    }
    worker.onerror = failed
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    worker.postMessage({ file })
  }).finally(() => worker.terminate())
}
