/** Pages of a PDF to draw as images. */
export interface PagesToDraw {
  /** Address of the PDF. */
  url: string
  /** Address of the folder with the files of PDF.js, with a slash at the end. */
  assets: string
  pages: readonly number[]
}

/** A page of a PDF as a JPEG image. */
export interface DrawnPage {
  page: number
  image: Blob
}

/** A page could not be drawn. */
export class UndrawnPage extends Error {
  override readonly name = 'UndrawnPage'
}

/** Longest time for one page, ms. Decoders run as scripts, so that a large JPEG 2000 picture takes seconds. */
const pageTimeoutMs = 60_000

/**
 * Draws pages of a stored PDF, one after another, in a worker of its own. The worker ends with the last page, an error, or the signal.
 * @throws UndrawnPage when a page is damaged, too large, or takes longer than a minute; the reason of the signal
 */
export function drawPages(
  { mediaUrl, pages }: { mediaUrl: string; pages: readonly number[] },
  onPage: (drawn: DrawnPage) => void,
  signal: AbortSignal,
): Promise<void> {
  const worker = new Worker(new URL('./pages.worker.ts', import.meta.url), { type: 'module' })
  let timer: ReturnType<typeof setTimeout> | undefined
  return new Promise<void>((resolve, reject) => {
    const failed = (reason: string): void => reject(new UndrawnPage(reason))
    const wait = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => failed('The page took too long.'), pageTimeoutMs)
    }
    worker.onmessage = ({ data }: MessageEvent<DrawnPage | { done: true } | { failed: string }>) => {
      if ('failed' in data) return failed(data.failed)
      if ('done' in data) return resolve()
      wait()
      onPage(data)
    }
    worker.onerror = ({ message }) => failed(message)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    if (signal.aborted) return reject(signal.reason)
    const absolute = (path: string): string => new URL(path, document.baseURI).href
    worker.postMessage({ url: absolute(mediaUrl), assets: absolute('/pdf/'), pages } satisfies PagesToDraw)
    wait()
  }).finally(() => {
    clearTimeout(timer)
    worker.terminate()
  })
}
