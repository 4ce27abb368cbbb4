import { getDocument, PDFWorker, VerbosityLevel } from 'pdfjs-dist'
import { longestSide } from '../../composer/fit.ts'
import type { DrawnPage, PagesToDraw } from './drawPages.ts'

// Draws pages of a PDF as JPEG images. Decoding and drawing a scan takes hundreds of ms, so a worker does it.

/** Pictures with more pixels are refused: A3 at 600 dpi has 70 million. */
const maxPixels = 100_000_000
/** Scans are mostly text, whose edges JPEG blurs at a low quality. */
const quality = 0.9

class Canvases {
  create(width: number, height: number) {
    const canvas = new OffscreenCanvas(width, height)
    return { canvas, context: canvas.getContext('2d', { willReadFrequently: true }) }
  }
  getNoAlphaContext = (canvas: OffscreenCanvas) => canvas.getContext('2d', { alpha: false, willReadFrequently: true })
  reset({ canvas }: { canvas: OffscreenCanvas }, width: number, height: number): void {
    canvas.width = width
    canvas.height = height
  }
  destroy({ canvas }: { canvas: OffscreenCanvas }): void {
    canvas.width = 0
    canvas.height = 0
  }
}

/** Filters of SVG need a page. Transfer functions and luminosity masks are drawn without them, as PDF.js does under Node. */
class NoFilters {
  addFilter = (): string => 'none'
  addHCMFilter = (): string => 'none'
  addAlphaFilter = (): string => 'none'
  addLuminosityFilter = (): string => 'none'
  addKnockoutFilter = (): string => 'none'
  addHighlightHCMFilter = (): string => 'none'
  addSelectionHCMFilter = (): string => 'none'
  addSelectionFilter = (): string => 'none'
  createSelectionStyle = (): null => null
  destroy = (): void => undefined
}

async function draw({ url, assets, pages }: PagesToDraw): Promise<void> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`The document answered ${response.status}.`)
  const parser = new Worker(new URL('./pdfParser.worker.ts', import.meta.url), { type: 'module' })
  const document = await getDocument({
    data: new Uint8Array(await response.arrayBuffer()),
    worker: PDFWorker.create({ port: parser, verbosity: VerbosityLevel.ERRORS }),
    verbosity: VerbosityLevel.ERRORS,
    CanvasFactory: Canvases,
    FilterFactory: NoFilters,
    // Glyphs are drawn as paths. No address of the document is opened.
    disableFontFace: true,
    useSystemFonts: false,
    enableXfa: false,
    disableWorkerRendering: true,
    // The page's policy does not allow WebAssembly, so PDF.js loads its decoders as scripts.
    useWasm: false,
    wasmUrl: `${assets}decoders/`,
    maxImageSize: maxPixels,
    stopAtErrors: true,
  }).promise
  for (const number of pages) postMessage(await drawPage(await document.getPage(number), number))
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocument>['promise']>['getPage']>>

async function drawPage(page: Page, number: number): Promise<DrawnPage> {
  const { width, height } = page.getViewport({ scale: 1 })
  const viewport = page.getViewport({ scale: longestSide / Math.max(width, height) })
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(viewport.width)), Math.max(1, Math.round(viewport.height)))
  // PDF.js names the type of a page's canvas, and draws on any.
  const target = { canvas } as unknown as { canvas: HTMLCanvasElement }
  await page.render({ ...target, viewport, background: '#fff' }).promise
  // PDF.js leaves out pictures that it cannot decode. A blank image would cost money and say nothing.
  for (const objects of [page.objs, page.commonObjs]) {
    for (const [, decoded] of objects) if (decoded === null) throw new Error('A picture of the page cannot be decoded.')
  }
  page.cleanup()
  return { page: number, image: await canvas.convertToBlob({ type: 'image/jpeg', quality }) }
}

addEventListener('message', ({ data }: MessageEvent<PagesToDraw>) => {
  draw(data).then(
    () => postMessage({ done: true }),
    (thrown: unknown) => postMessage({ failed: String(thrown) }),
  )
})
