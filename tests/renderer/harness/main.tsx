import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { transfersPath } from '../../../src-preload/contract/transfers.ts'
import type { Client } from '../../../src-renderer/api/connect.ts'
import { startWindow } from '../../../src-renderer/app/start.tsx'
import { en } from '../../../src-renderer/i18n/en.ts'
import { i18n, startWords } from '../../../src-renderer/i18n/index.ts'
import type { LinkStatus } from '../../../src-renderer/stores/app.ts'
import { isPseudo, pseudoTexts } from '../../helpers/pseudo.ts'

/** The real window over an in-memory core: `?state=refused&theme=dark&apps=none&rows=100000&live=1&link=lost#/proxy`. */
const query = new URLSearchParams(location.search)
const core = new Worker(new URL('./core.ts', import.meta.url), { type: 'module', name: query.toString() })
const { port1, port2 } = new MessageChannel()
core.postMessage(null, [port1])
port2.start()
const client: Client = createORPCClient(new RPCLink({ port: port2 }))
let link: LinkStatus = 'open'
const fetchFile = globalThis.fetch
/** The files of the in-memory core: every part of an upload is accepted, and every download is there. */
globalThis.fetch = async (input, init) => {
  const { pathname, searchParams } = new URL(input instanceof Request ? input.url : input, location.href)
  if (!pathname.startsWith(transfersPath)) return fetchFile(input, init)
  // Slow enough to be visible and cancelled.
  if (query.get('slow') === '1') await new Promise((go) => setTimeout(go, 1000))
  init?.signal?.throwIfAborted()
  const part = init?.body instanceof ArrayBuffer ? init.body.byteLength : 0
  return Response.json({ received: Number(searchParams.get('at')) + part })
}
const listeners = new Set<() => void>()

const language = query.get('language') ?? ''
if (isPseudo(language)) {
  await startWords()
  for (const [name, texts] of Object.entries(en)) i18n.addResourceBundle(language, name, pseudoTexts(texts, language))
}

const root = document.getElementById('root')
if (!root) throw new Error('The page has no #root.')
await startWindow(
  {
    client,
    link: {
      get: () => link,
      subscribe: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      opened: () => Promise.resolve(),
    },
  },
  root,
)
const lost = query.get('link')
if (lost === 'lost' || lost === 'unauthorized') {
  link = lost
  for (const listener of listeners) listener()
}
