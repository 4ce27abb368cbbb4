import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isFromOtherUser } from '../../../listener/peerUser.ts'
import { openTabServer, refusalOf, sendPage } from '../../../listener/tab.ts'
import { inBackground, unexpected } from '../../shared/unexpected.ts'

/**
 * Headers of a document that the person opens in a tab. Without `allow-same-origin` it has an opaque origin: no cookies, no storage, no access
 * to the origin that serves it, also not to a copy of it in another tab.
 */
export const pageHeaders = {
  'Content-Security-Policy': 'sandbox allow-scripts allow-forms allow-modals allow-popups allow-downloads',
  'Permissions-Policy': 'microphone=(), camera=(), geolocation=(), payment=(), usb=(), display-capture=()',
  'Content-Type': 'text/html; charset=utf-8',
}

/** A page that waits for the browser. */
export interface WaitingPage {
  /** Address for the browser, unpredictable. */
  readonly url: string
  /** Resolves when the browser has the page. */
  readonly taken: Promise<void>
  /** Stops listening. */
  close(): void
}

/**
 * Serves a page once, on a port of its own of 127.0.0.1. The address is in the command line of the browser, which every user of this computer
 * can read: on Linux only a browser of the same user gets the page.
 */
export async function serveOnce(html: string): Promise<WaitingPage> {
  const path = `/${randomBytes(32).toString('hex')}`
  const { promise: taken, resolve } = Promise.withResolvers<void>()
  let isTaken = false

  const receive = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const refused = refusalOf(request, request.url === path && !isTaken)
    if (refused !== null) return refuse(reply, refused, refusals[refused])
    if (await isFromOtherUser(request.socket))
      return refuse(reply, 403, 'Inference Studio runs as another user of this computer.')
    if (isTaken) return refuse(reply, 404, refusals[404])
    isTaken = true
    reply.once('close', resolve)
    sendPage(reply, 200, pageHeaders, html)
  }
  const { origin, server, close } = await openTabServer(
    0,
    (request, reply) => inBackground('A page could not be served', receive(request, reply)),
    (error) => unexpected('A page could not be served', error),
  )
  // No page keeps the program running.
  server.unref()
  return { taken, url: origin + path, close }
}

const refusals = {
  421: 'Nothing is here.',
  404: 'Nothing is here.',
  405: 'Only GET is accepted here.',
  403: 'This page opens in a tab only.',
}

function refuse(reply: ServerResponse, status: number, words: string): void {
  const headers = {
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Content-Type': 'text/plain; charset=utf-8',
  }
  sendPage(reply, status, headers, `${words}\n`)
}
