import { createSocket, type Socket } from 'node:dgram'
import { createServer as createHttpServer, type Server } from 'node:http'
import { type AddressInfo, createServer, type Server as TcpServer } from 'node:net'
import type { Page } from '@playwright/test'

/** Listeners that no previewed document may reach. */
export interface ForbiddenListeners {
  http: string
  tcp: string
  udp: string
  /** What arrived since the last call of `clear`. */
  reached(): readonly string[]
  clear(): void
  /** The addresses of the listeners in place of their names in a hostile document. */
  withAddresses(text: string): string
  close(): void
}

const portOf = (server: Server | TcpServer | Socket): number => (server.address() as AddressInfo).port

export async function openForbiddenListeners(): Promise<ForbiddenListeners> {
  const reached: string[] = []
  const http = createHttpServer((request, response) => {
    reached.push(`request ${request.url}`)
    response.end()
  })
  const tcp = createServer((socket) => {
    reached.push('connection')
    socket.destroy()
  })
  const udp = createSocket('udp4').on('message', () => reached.push('packet'))
  for (const server of [http, tcp]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve))
  const at = {
    http: `http://127.0.0.1:${portOf(http)}`,
    tcp: `http://127.0.0.1:${portOf(tcp)}`,
    udp: `127.0.0.1:${portOf(udp)}`,
  }
  return {
    ...at,
    reached: () => reached,
    clear: () => void reached.splice(0),
    // Whole words only: `RTCPeerConnection` contains TCP.
    withAddresses: (text) => text.replace(/\b(?:HTTP|TCP|UDP)\b/g, (name) => at[name.toLowerCase() as keyof typeof at]),
    close() {
      http.closeAllConnections()
      http.close()
      tcp.close()
      udp.close()
    },
  }
}

/** Shows a document in the open preview's frame, asks for its scripts too, and waits until the frame has shown it. */
export async function play(page: Page, text: string): Promise<void> {
  await page.evaluate(
    (html) =>
      new Promise<void>((resolve) => {
        const frame = document.querySelector<HTMLIFrameElement>('.chat-preview-frame')
        // A document that never loads does not end the test, which looks at what it did.
        const late = setTimeout(resolve, 1_000)
        const hear = ({ source, data }: MessageEvent): void => {
          if (source !== frame?.contentWindow || data?.type !== 'shown') return
          removeEventListener('message', hear)
          clearTimeout(late)
          setTimeout(resolve, 30)
        }
        addEventListener('message', hear)
        frame?.contentWindow?.postMessage({ type: 'show', kind: 'html', text: html, scripts: true }, '*')
      }),
    text,
  )
}
