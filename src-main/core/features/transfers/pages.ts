import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StudioError } from '../../errors.ts'
import type { Host } from '../../host.ts'

const maxWaiting = 8
/** How long a page may take to be opened, ms. */
const waitingMs = 60_000

/** What a document may do in the browser. Without `allow-same-origin` it has an opaque origin: no cookies, no storage, no file access. */
export const pageSandbox = 'allow-scripts allow-forms allow-modals allow-popups allow-downloads'

/** Documents of replies on their way to the browser. */
export function createPages(folder: string) {
  const all = new Map<string, { html: string; timer: NodeJS.Timeout }>()

  /** @throws StudioError `busy` with too many pages that were not opened */
  function offer(html: string): string {
    if (all.size >= maxWaiting) throw new StudioError('busy', 'Too many pages wait to be opened in the browser.')
    const pageId = randomUUID()
    const timer = setTimeout(() => all.delete(pageId), waitingMs)
    timer.unref()
    all.set(pageId, { html, timer })
    return pageId
  }

  return {
    /**
     * Opens the document in the system's browser from a file, which is deleted at the next start. A host without `openPage` gets an id
     * instead, for `take`.
     * @throws StudioError `busy`, `not_found` without a browser
     */
    async open(host: Pick<Host, 'openPage'>, { name, html }: { name: string; html: string }): Promise<string | null> {
      if (!host.openPage) return offer(html)
      const path = join(folder, `${randomUUID()}.html`)
      await writeFile(path, framed(name, html), { mode: 0o600 })
      await host.openPage(pathToFileURL(path).href)
      return null
    },
    /** Takes a page, which can be read once. Null for an unknown id. */
    take(pageId: string): string | null {
      const found = all.get(pageId)
      if (!found) return null
      all.delete(pageId)
      clearTimeout(found.timer)
      return found.html
    },
    close(): void {
      for (const { timer } of all.values()) clearTimeout(timer)
      all.clear()
    },
  }
}

/** A file can't have headers, so a sandboxed frame contains the document. */
function framed(name: string, html: string): string {
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>${escaped(name)}</title>
<style>html, body { margin: 0; height: 100%; overflow: hidden } iframe { width: 100%; height: 100%; border: 0 }</style>
<iframe title="${escaped(name)}" sandbox="${pageSandbox}" srcdoc="${escaped(html)}"></iframe>
`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
