import { LinkMessagePortClient } from '@orpc/client/message-port'
import type { ReplaceableLink } from './link.ts'

/** The page asks and the preload, which is there before the page, answers with a port: no order of loading can miss it. */
export const wantPort = 'inference-studio:want-port'
export const havePort = 'inference-studio:port'

/** One more message was read. The main process holds back what this page has no time for. */
const oneRead = 1

/** The desktop: one MessagePort to the main process, for as long as the page lives. */
export function connectPort(link: ReplaceableLink, page: Window): void {
  const receive = (event: MessageEvent<unknown>) => {
    if (event.source !== page || event.origin !== page.location.origin || event.data !== havePort) return
    const [port, ...others] = event.ports
    if (!port || others.length > 0) return
    page.removeEventListener('message', receive)
    port.addEventListener('close', () => link.change('lost'))
    link.change('open', new LinkMessagePortClient({ port }))
    port.addEventListener('message', () => port.postMessage(oneRead))
    port.start()
  }
  page.addEventListener('message', receive)
  page.postMessage(wantPort, page.location.origin)
}
