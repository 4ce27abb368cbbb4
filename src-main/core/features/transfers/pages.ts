import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Host } from '../../host.ts'
import { createPickups } from './pickups.ts'

/** What a document may do in the browser. Without `allow-same-origin` it has an opaque origin: no cookies, no storage, no file access. */
export const pageSandbox = 'allow-scripts allow-forms allow-modals allow-popups allow-downloads'

/** Documents of replies on their way to the browser. */
export function createPages(folder: string) {
  const { offer, take, close } = createPickups<string>({
    most: 8,
    busy: 'Too many pages wait to be opened in the browser.',
  })
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
    take,
    close,
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
