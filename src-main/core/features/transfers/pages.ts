import { StudioError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { inBackground } from '../../shared/unexpected.ts'
import { serveOnce, type WaitingPage } from './pageListener.ts'
import { createPickups, waitingMs } from './pickups.ts'

/** Pages that wait at the same time, at most. */
const most = 8
const busy = 'Too many pages wait to be opened in the browser.'

/** Documents of replies on their way to the browser. */
export function createPages() {
  const { offer, take, close } = createPickups<string>({ most, busy })
  const waiting = new Set<WaitingPage>()
  return {
    /**
     * Opens the document in the system's browser, from an address that works once and for a minute. A host without `openPage` gets an id
     * instead, for `take`.
     * @throws StudioError `busy`, `not_found` without a browser
     */
    async open(host: Pick<Host, 'openPage'>, html: string): Promise<string | null> {
      if (!host.openPage) return offer(html)
      if (waiting.size >= most) throw new StudioError('busy', busy)
      const page = await serveOnce(html)
      waiting.add(page)
      const end = (): void => {
        clearTimeout(timer)
        waiting.delete(page)
        page.close()
      }
      const timer = setTimeout(end, waitingMs).unref()
      inBackground('A page could not be closed', page.taken.then(end))
      try {
        await host.openPage(page.url)
      } catch (thrown) {
        end()
        throw thrown
      }
      return null
    },
    /** Takes a page, which can be read once. Null for an unknown id. */
    take,
    close(): void {
      close()
      for (const page of waiting) page.close()
    },
  }
}
