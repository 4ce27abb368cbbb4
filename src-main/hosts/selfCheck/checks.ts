import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createRouterClient } from '@orpc/server'
import { mediaPath } from '../../../src-preload/contract/media.ts'
import { partType, transferPath } from '../../../src-preload/contract/transfers.ts'
import { type Core, createCore } from '../../core/core.ts'
import { StudioError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { WorkerClient, WorkerExit } from '../../core/shared/workerClient.ts'
import { coreParts } from '../../core/stored.ts'
import { noSessionBus } from '../keychain.ts'
import { type Check, NotHere } from './run.ts'
import { checkTls } from './tls.ts'

/** A reply to a request of the page. */
export interface PageReply {
  status: number
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>
  body: Uint8Array
}

/** The studio's page on a core, as the host serves it. */
export interface CheckedPage {
  /** Sends a GET request as the page does. @param path from the root */
  request(path: string, headers?: Readonly<Record<string, string>>): Promise<PageReply>
  /** What only this host can see of the loaded page, such as whether the policy blocks a script. Returns it in words. */
  look(): Promise<string>
  /** Calls a procedure over the channel between page and core. Returns what was seen in words. */
  call(): Promise<string>
  close(): Promise<void> | void
}

/** What the checks examine. Nothing in it belongs to the person. */
export interface CheckParts {
  /** On a temporary folder. */
  host: Host
  /** The file that reads the certificates of the system in a process of its own. */
  certificates: string
  openPage(core: Core): Promise<CheckedPage>
}

/** Everything that a run opens. */
export interface OpenParts extends CheckParts {
  core(): Promise<Core>
  page(): Promise<CheckedPage>
  close(): Promise<void>
}

/** Opens the core and the page when the first check asks for them. */
export function openParts(parts: CheckParts): OpenParts {
  let core: Promise<Core> | null = null
  let page: Promise<CheckedPage> | null = null
  const openCore = (): Promise<Core> => (core ??= createCore(parts.host, { proxyPort: 0, connect: { sandbox: true } }))
  return {
    ...parts,
    core: openCore,
    page: () => (page ??= openCore().then(parts.openPage)),
    async close() {
      // What could not be opened has been reported by its check.
      await (await page?.catch(() => null))?.close()
      await (await core?.catch(() => null))?.stop()
    },
  }
}

const reinstall = 'Install Inference Studio again, because a file of it is missing or damaged.'
const report = 'Send this list to the developers: it is about the program, not about your data.'

/** A word that no other message has. */
const word = 'zephyranthes'

/** The checks of both hosts, in the order of what they need. A host adds those of parts that only it has. */
export const commonChecks: readonly Check<OpenParts>[] = [
  {
    name: 'fts5',
    label: 'Full-text search of SQLite (FTS5)',
    action: `Start Inference Studio with the Node or Electron that it came with. ${report}`,
    async run() {
      const { DatabaseSync } = await import('node:sqlite')
      const database = new DatabaseSync(':memory:')
      try {
        // The options of the index of messages.
        database.exec(
          "CREATE VIRTUAL TABLE words USING fts5(body, content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '1 2')",
        )
        database.prepare('INSERT INTO words(rowid, body) VALUES (1, ?)').run(`one ${word} here`)
        const row = database.prepare('SELECT count(*) AS n FROM words WHERE words MATCH ?').get(`${word.slice(0, 2)}*`)
        mustBe(row?.n === 1, 'The index does not find a word that is in it.')
        return `SQLite ${String(database.prepare('SELECT sqlite_version() AS v').get()?.v)} finds words`
      } finally {
        database.close()
      }
    },
  },
  {
    name: 'core',
    label: 'Data folder, local API and sandbox',
    needs: ['fts5'],
    action: report,
    async run({ core }) {
      const { proxy, sandbox } = (await core()).addresses()
      mustBe(proxy !== null && sandbox !== null, 'The local API or the sandbox did not start.')
      const reply = await fetch(`${proxy}/models`)
      mustBe(reply.status === 401, `The local API answered ${reply.status} to a request without an app key, not 401.`)
      return 'a new data folder is open, and the local API asks for an app key'
    },
  },
  {
    name: 'search',
    label: 'Search thread',
    needs: ['core'],
    action: reinstall,
    async run(parts) {
      await storedChat(parts)
      const { foundMessages } = await coreParts()
      mustBe((await foundMessages(parts.host.dataDir, word)) === 1, 'A search does not find a stored message.')
      return 'finds a stored message'
    },
  },
  {
    name: 'passages',
    label: 'Project search thread',
    needs: ['core'],
    action: reinstall,
    async run({ host }) {
      const { foundPassages } = await coreParts()
      mustBe((await foundPassages(host.dataDir, word)) === 0, 'A search in no file finds something.')
      return 'answers'
    },
  },
  {
    name: 'usage',
    label: 'Usage thread',
    needs: ['core'],
    action: reinstall,
    async run({ host }) {
      await (await coreParts()).usageOfNoAccount(host.dataDir, randomUUID())
      return 'answers'
    },
  },
  {
    name: 'checkpoint',
    label: 'Checkpoint thread',
    needs: ['core'],
    action: reinstall,
    async run({ host }) {
      await (await coreParts()).checkpoint(host.dataDir)
      return 'moves the write-ahead log into the database'
    },
  },
  {
    name: 'backup',
    label: 'Backup thread',
    needs: ['core'],
    action: reinstall,
    async run({ host }) {
      const { backup } = await coreParts()
      return `writes a backup of ${await backup(host, join(host.dataDir, '..', 'check.backup'))} bytes`
    },
  },
  {
    name: 'opening',
    label: 'Start-up thread',
    action: reinstall,
    async run({ host }) {
      const dataDir = join(host.dataDir, '..', 'opened')
      mkdirSync(dataDir)
      await (await coreParts()).openingOf(dataDir)
      return 'answers'
    },
  },
  {
    name: 'translation',
    label: 'Translation thread of the local API',
    action: reinstall,
    async run() {
      const { countsTokens } = await coreParts()
      const isCounted = await countsTokens({ model: 'any', messages: [{ role: 'user', content: word }] })
      mustBe(isCounted, 'A request could not be counted.')
      return 'counts the tokens of a request'
    },
  },
  {
    name: 'schemas',
    label: 'Process for schemas',
    action: reinstall,
    async run({ host }) {
      const { schemaFaults } = await coreParts()
      const schema = { type: 'object', properties: { a: { type: 'number' } } }
      const faults = await schemaFaults(host.fork, schema, ['{"a":1}', '{"a":"b"}'])
      mustBe(faults[0]?.length === 0, `Valid arguments are refused: ${faults[0]?.[0]}`)
      mustBe(faults[1]?.length === 1, 'Invalid arguments are accepted.')
      return 'accepts valid arguments, and refuses others'
    },
  },
  {
    name: 'documents',
    label: 'Process for documents (PDF)',
    action: reinstall,
    async run({ host }) {
      const { textOf } = await coreParts()
      const path = join(host.dataDir, '..', 'check.pdf')
      writeFileSync(path, pdfWith(word))
      mustBe((await textOf(host.fork, path, 'check.pdf')).includes(word), 'The text of a PDF is not read.')
      return 'reads the text of a PDF'
    },
  },
  {
    name: 'memory',
    label: 'Process beyond its memory limit',
    action: `A damaged document could take all memory. ${report}`,
    async run({ host }) {
      const { startMemoryWorker } = await import('./memoryWorker.ts')
      const client = new WorkerClient<'fill' | 'answer', number>({
        name: 'memory',
        start: () => startMemoryWorker(host.fork),
      })
      try {
        const took = await client
          .run(() => 'fill')
          .catch((thrown: unknown) => {
            if (thrown instanceof WorkerExit) return null
            throw thrown
          })
        mustBe(took === null, `A limit of 32 MB let a process take ${took} MB.`)
        await client.run(() => 'answer')
        return 'is ended alone, and the next one works'
      } finally {
        await client.terminate()
      }
    },
  },
  {
    name: 'voice',
    label: 'Voice of the sandbox (WebAssembly)',
    needs: ['core'],
    action: 'Install Inference Studio again with its optional packages (npm install --include=optional).',
    async run({ core }) {
      const { sandbox } = (await core()).addresses()
      mustBe(sandbox !== null, 'The sandbox has ended.')
      const reply = await fetch(`${sandbox.baseUrl}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ input: 'Yes', response_format: 'wav' }),
      })
      const bytes = Buffer.from(await reply.arrayBuffer())
      mustBe(reply.ok, `The sandbox can’t speak: ${bytes.toString('utf8', 0, 500)}`)
      mustBe(bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.length > 4_000, 'The sandbox returned no sound.')
      return `speaks (${bytes.length} bytes of sound)`
    },
  },
  {
    name: 'keychain',
    label: 'Keychain',
    action: 'API keys are kept for one run only, until a keychain works. Unlock or install one, and check again.',
    async run({ host: { secrets } }) {
      // Of its own, so that no key of a connection is touched.
      const account = `.self-check-${randomUUID()}`
      try {
        await secrets.set(account, word)
        mustBe((await secrets.get(account)) === word, 'The keychain returns another text than it got.')
        await secrets.delete(account)
        mustBe((await secrets.get(account)) === null, 'The keychain still has what was deleted.')
        return 'stores, returns and deletes an item'
      } catch (thrown) {
        if (!(thrown instanceof StudioError) || thrown.message !== noSessionBus) throw thrown
        throw new NotHere(
          thrown.message,
          'In a desktop session there is one. Here, give the API key by a file or a variable.',
        )
      }
    },
  },
  {
    name: 'tls',
    label: 'TLS with the certificates of the system',
    action: report,
    run: ({ host, certificates }) => checkTls(host.fork, certificates),
  },
  {
    name: 'page',
    label: 'Page and its content security policy',
    needs: ['core'],
    action: reinstall,
    async run({ page }) {
      const opened = await page()
      const { status, headers, body } = await opened.request('/index.html')
      const html = Buffer.from(body).toString()
      mustBe(status === 200 && html.includes('<div id="root"'), `The page is not served (status ${status}).`)
      const policy = headers['content-security-policy'] ?? ''
      for (const rule of ["default-src 'none'", "script-src 'self'"]) {
        mustBe(policy.split('; ').includes(rule), `The content security policy of the page lacks “${rule}”.`)
      }
      const script = /<script[^>]* src="\.?(\/assets\/[^"]+\.js)"/.exec(html)?.[1]
      mustBe(script !== undefined, 'The page has no script.')
      const sent = await opened.request(script)
      mustBe(
        sent.status === 200 && sent.headers['content-type']?.startsWith('text/javascript') === true,
        `The script of the page is not served (status ${sent.status}).`,
      )
      return await opened.look()
    },
  },
  {
    name: 'calls',
    label: 'Channel between page and core',
    needs: ['core'],
    action: report,
    run: async ({ page }) => (await page()).call(),
  },
  {
    name: 'range',
    label: 'Part of a media file (range request)',
    needs: ['core'],
    action: report,
    async run(parts) {
      const core = await parts.core()
      const mediaId = await storedImage(core)
      const { status, headers, body } = await (await parts.page()).request(mediaPath(mediaId), { range: 'bytes=1-3' })
      mustBe(status === 206, `A range request was answered with status ${status}, not 206.`)
      mustBe(Buffer.from(body).toString('latin1') === 'PNG', 'A range request returned other bytes.')
      return `answered with ${headers['content-range']}`
    },
  },
  {
    name: 'download',
    label: 'Download of a file',
    needs: ['core'],
    action: report,
    async run(parts) {
      const { archive } = createRouterClient((await parts.core()).router)
      const conversationId = await storedChat(parts)
      const { downloadId, bytes } = await archive.exportConversation({ conversationId, format: 'markdown' })
      const { status, headers, body } = await (await parts.page()).request(transferPath(downloadId))
      mustBe(status === 200, `The download was answered with status ${status}.`)
      mustBe(body.length === bytes && Buffer.from(body).includes(word), 'The download returned other bytes.')
      mustBe(headers['content-disposition']?.startsWith('attachment') === true, 'The download is not a file to save.')
      return `${bytes} bytes of a chat as Markdown`
    },
  },
]

/** @throws StudioError `bug` with these words when `isSo` is false */
export function mustBe(isSo: boolean, words: string): asserts isSo {
  if (!isSo) throw new StudioError('bug', words)
}

/** Stores a message with `word`, without sending it, and returns its chat. */
async function storedChat({ core }: OpenParts): Promise<string> {
  const { chat } = await core()
  const requestId = randomUUID()
  const sent = await chat.send({
    requestId,
    conversationId: null,
    text: `${word} ${requestId}`,
    models: [],
    ask: false,
  })
  return sent.conversationId
}

/** One transparent pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

async function storedImage(core: Core): Promise<string> {
  const { transfers, media } = createRouterClient(core.router)
  const { uploadId } = await transfers.beginUpload({ name: 'check.png', bytes: pixel.length })
  const { status } = await core.bytes({
    ...{ method: 'PUT', path: transferPath(uploadId), query: new URLSearchParams({ at: '0' }) },
    ...{ contentType: partType, contentLength: pixel.length, body: Readable.from([pixel]) },
  })
  mustBe(status === 200, `An upload was answered with status ${status}.`)
  return (await media.addImage({ uploadId })).mediaId
}

/** A PDF with one page and one line of text (ISO 32000-1, 7.5). */
function pdfWith(text: string): string {
  const content = `BT /F1 24 Tf 72 700 Td (${text}) Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let file = '%PDF-1.4\n'
  const places = objects.map((object, at) => {
    const place = file.length
    file += `${at + 1} 0 obj\n${object}\nendobj\n`
    return `${String(place).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`
  return `${file}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
}
