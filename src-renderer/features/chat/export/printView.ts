import { givenPath } from '../../../../src-preload/contract/desktop.ts'
import { saveBlob } from '../../../api/transfer.ts'
import { desktopStore } from '../../../shared/desktop.ts'
import style from './document.css?inline'

export { documentNodes, nodesAtOnce } from './markupDocument.ts'

/** Hides the window behind the print view while it is printed, whatever its theme. */
const around = `
@media screen { .exported-print { display: none } }
@media print {
  :root:root:root { color-scheme: light; font-size: 16px }
  :root:root, :root:root > body { display: block !important; position: static !important; height: auto !important; min-height: 0 !important; overflow: visible !important; background: #fff }
  body > :not(.exported-print) { display: none !important }
  body > .exported-print { display: block !important }
}`

/** Longest wait for images before printing, ms. A missing image must not prevent printing. */
const longestWaitMs = 10_000

/** A document in the page that only print shows: light, complete and without scroll containers. */
export interface PrintView {
  /** Resolves when all images are decoded. Others would be missing on paper. */
  ready: Promise<unknown>
  remove(): void
}

/** Puts the nodes of a document into the page for print. Null while another document is in the page, which is printed then. */
export function showPrintView(nodes: readonly Node[]): PrintView | null {
  if (document.querySelector('.exported-print') !== null) return null
  const view = document.createElement('main')
  view.className = 'exported exported-print'
  view.append(...nodes)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(style + around)
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  document.body.append(view)
  const decoded = [...view.querySelectorAll('img')].map((image) => image.decode().catch(() => undefined))
  const timeout = new Promise((resolve) => setTimeout(resolve, longestWaitMs))
  return {
    ready: decoded.length === 0 ? Promise.resolve() : Promise.race([Promise.all(decoded), timeout]),
    remove() {
      view.remove()
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
    },
  }
}

/** Shows a document for print until `work` has ended. `title` becomes the title of a PDF, and the file name that the print dialog suggests. */
async function whileShown<T>(nodes: readonly Node[], title: string, work: () => Promise<T>): Promise<T | null> {
  const view = showPrintView(nodes)
  if (!view) return null
  const former = document.title
  try {
    await view.ready
    document.title = title
    return await work()
  } finally {
    document.title = former
    view.remove()
  }
}

/** Prints a document through a dialog. Returns the system's reason when it could not print, otherwise null. */
export function printDocument(nodes: readonly Node[], title: string): Promise<string | null> {
  return whileShown(nodes, title, async () => {
    const { client } = desktopStore.getState()
    if (client) return (await client.print()).reason
    // Returns when the dialog is closed.
    window.print()
    return null
  })
}

/**
 * Saves a document as PDF without a dialog, on the desktop only. Returns the file's name, or null when another document is being printed.
 * @param title of the document's properties; @param fileTitle name of the file without extension
 * @throws ORPCError `PROBLEM`, the signal's reason
 */
export async function savePdf(
  nodes: readonly Node[],
  title: string,
  fileTitle: string,
  signal: AbortSignal,
): Promise<string | null> {
  const { client } = desktopStore.getState()
  if (!client) return null
  const paper = usesLetter(navigator.language) ? 'letter' : 'a4'
  const file = await whileShown(nodes, title, () => client.printToPdf({ paper }, { signal }))
  if (!file) return null
  const reply = await fetch(givenPath + file.id, { cache: 'no-store', signal })
  if (!reply.ok) throw new Error(`The PDF could not be read (${reply.status}).`)
  const name = `${fileTitle}.pdf`
  saveBlob(new Blob([await reply.blob()], { type: file.mime }), name)
  return name
}

/** Regions whose paper is US Letter: https://github.com/unicode-org/cldr/blob/main/common/supplemental/supplementalData.xml (`paperSize`) */
const letterRegions = new Set('BZ CA CL CO CR GT MX NI PA PH PR SV US VE'.split(' '))
const usesLetter = (language: string): boolean => letterRegions.has(new Intl.Locale(language).maximize().region ?? '')
