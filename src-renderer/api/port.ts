import { LinkMessagePortClient } from '@orpc/client/message-port'
import type { ReplaceableLink } from './link.ts'

/** The page posts this message and the preload script answers with a port. The preload script always runs before the page. */
export const wantPort = 'inference-studio:want-port'
export const havePort = 'inference-studio:port'

/** Acknowledges one read message. The main process limits the number of unacknowledged messages. */
const oneRead = 1

/** Desktop: connects through one MessagePort to the main process, for the lifetime of the page. */
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
