import { createORPCClient } from '@orpc/client'
import { LinkMessagePortClient } from '@orpc/client/message-port'
import { StandardRPCLink } from '@orpc/client/standard'
import type { ContractRouterClient } from '@orpc/contract'
import type { Contract } from '../../src-preload/contract/contract.ts'
import type { DesktopContract } from '../../src-preload/contract/desktop.ts'
import { type CoreLink, ReplaceableLink, setLink } from './link.ts'
import { enterSession } from './session.ts'
import { connectSocket, openPageSocket, type WebEntry } from './socket.ts'

/** The page posts this message and the preload script answers with a port. The preload script always runs before the page. */
const wantPort = 'inference-studio:want-port'
const havePort = 'inference-studio:port'

/** Acknowledges one read message. The main process limits the number of unacknowledged messages. */
const oneRead = 1

/** Desktop: connects through one MessagePort to the main process, for the lifetime of the page. */
function connectPort(link: ReplaceableLink, page: Window): void {
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

export type Client = ContractRouterClient<Contract>
/** The procedures of the desktop host, which act on the window of this page. */
export type DesktopClient = ContractRouterClient<DesktopContract>['desktop']

/** The page's connection to the core: the typed client and the state of its link. */
export interface Api {
  /** One function per procedure. `problemOf` turns a thrown error into a `Problem`. */
  client: Client
  /** State of the connection to Inference Studio itself, not to the service. */
  link: CoreLink
  host: 'desktop' | 'web'
  /** Null under the web host. */
  desktop: DesktopClient | null
}

/** Connects this page to its host: Electron when the preload script ran, otherwise the web host. Call it once per page. */
export function connect(page: Window = window): Api {
  if ('inferenceStudio' in page) {
    const link = new ReplaceableLink()
    connectPort(link, page)
    return createApi(link, 'desktop')
  }
  return connectWeb({ openSocket: () => openPageSocket(page), letIn: () => enterSession(page) })
}

/** Connects to the web host through `entry`. Tests pass their own entry. */
export function connectWeb(entry: WebEntry): Api {
  const link = new ReplaceableLink()
  connectSocket(link, entry)
  return createApi(link, 'web')
}

function createApi(link: ReplaceableLink, host: Api['host']): Api {
  // oRPC requires a URL but never uses this one: every call goes through the link.
  const client: Client & ContractRouterClient<DesktopContract> = createORPCClient(
    new StandardRPCLink(link, { url: 'http://orpc' }),
  )
  setLink(client, link)
  const desktop = host === 'desktop' ? client.desktop : null
  if (desktop) setLink(desktop, link)
  return { client, link, host, desktop }
}
