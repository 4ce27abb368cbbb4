import type { WebContents } from 'electron'
import { externalAddress, isFramePage, isOwnPage, isQuickPage } from './address.ts'

/**
 * Blocks navigation, frames and new windows. Allowed are reloads, diagrams and previews. External links open in the default browser after a
 * check.
 */
export function guardNavigation(contents: WebContents, openExternal: (url: string) => Promise<void>): void {
  const handOver = (address: string): void => {
    const url = externalAddress(address)
    // The operating system reports a browser that can't be opened, so the error is ignored here.
    if (url !== null) void openExternal(url).catch(() => undefined)
  }
  contents.on('will-navigate', (event) => {
    const isReload = isQuickPage(contents.getURL()) ? isQuickPage(event.url) : isOwnPage(event.url)
    if (event.isMainFrame && isReload) return
    event.preventDefault()
    if (event.isMainFrame) handOver(event.url)
  })
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame && !isFramePage(event.url)) event.preventDefault()
  })
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    handOver(url)
    return { action: 'deny' }
  })
}

/** Blocks every navigation, frame and new window of a page of a reply. An address that it opened elsewhere could carry data out. */
export function blockNavigation(contents: WebContents): void {
  contents.on('will-navigate', (event) => event.preventDefault())
  contents.on('will-frame-navigate', (event) => event.preventDefault())
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}
