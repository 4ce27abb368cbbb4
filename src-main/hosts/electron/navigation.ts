import type { WebContents } from 'electron'
import { externalAddress, isDiagramPage, isOwnPage } from './address.ts'

/** No page of ours goes anywhere but to itself (a reload), has any frame but a diagram's, or opens anything; a link to the outside is handed to the system's browser after a check. */
export function guardNavigation(contents: WebContents, openExternal: (url: string) => Promise<void>): void {
  const handOver = (address: string): void => {
    const url = externalAddress(address)
    // A browser that can't be opened is the system's to report; the page stays where it is either way.
    if (url !== null) void openExternal(url).catch(() => undefined)
  }
  contents.on('will-navigate', (event) => {
    if (event.isMainFrame && isOwnPage(event.url)) return
    event.preventDefault()
    if (event.isMainFrame) handOver(event.url)
  })
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame && !isDiagramPage(event.url)) event.preventDefault()
  })
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    handOver(url)
    return { action: 'deny' }
  })
}
