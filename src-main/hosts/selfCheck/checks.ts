import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createRouterClient } from '@orpc/server'
import { mediaPath } from '../../../src-preload/contract/media.ts'
import type { Note } from '../../../src-preload/contract/note.ts'
import { partType, transferPath } from '../../../src-preload/contract/transfers.ts'
import { type Core, createCore } from '../../core/core.ts'
import { StudioError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { WorkerClient, WorkerExit } from '../../core/shared/workerClient.ts'
import { coreParts } from '../../core/stored.ts'
import { noSessionBus } from '../keychain.ts'
import { type Check, NotHere } from './run.ts'
import { checkTls } from './tls.ts'
import { words } from './words.ts'

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
  /** What only this host can see of the loaded page, such as whether the policy blocks a script. */
  look(): Promise<Note>
  /** Calls a procedure over the channel between page and core. Returns what was seen. */
  call(): Promise<Note>
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

const reinstall = words('action.reinstall')
const report = words('action.report')

/** A word that no other message has. */
const word = 'zephyranthes'

/** The checks of both hosts, in the order of what they need. A host adds those of parts that only it has. */
export const commonChecks: readonly Check<OpenParts>[] = [
  {
    name: 'fts5',
    label: words('label.fts5'),
    action: words('action.fts5'),
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
        mustBe(row?.n === 1, words('failed.words'))
        const version = String(database.prepare('SELECT sqlite_version() AS v').get()?.v)
        return words('seen.words', { version })
      } finally {
        database.close()
      }
    },
  },
  {
    name: 'core',
    label: words('label.core'),
    needs: ['fts5'],
    action: report,
    async run({ core }) {
      const { proxy, sandbox } = (await core()).addresses()
      mustBe(proxy !== null && sandbox !== null, words('failed.start'))
      const reply = await fetch(`${proxy}/models`)
      mustBe(reply.status === 401, words('failed.noKey', { status: String(reply.status) }))
      return words('seen.core')
    },
  },
  {
    name: 'search',
    label: words('label.search'),
    needs: ['core'],
    action: reinstall,
    async run(parts) {
      await storedChat(parts)
      const { foundMessages } = await coreParts()
      mustBe((await foundMessages(parts.host.dataDir, word)) === 1, words('failed.search'))
      return words('seen.search')
    },
  },
  {
    name: 'passages',
    label: words('label.passages'),
    needs: ['core'],
    action: reinstall,
    async run({ host }) {
      const { foundPassages } = await coreParts()
      mustBe((await foundPassages(host.dataDir, word)) === 0, words('failed.passages'))
      return words('seen.answers')
    },
  },
  {
    name: 'usage',
    label: words('label.usage'),
    needs: ['core'],
    action: reinstall,
    async run({ host }) {
      await (await coreParts()).usageOfNoAccount(host.dataDir, randomUUID())
      return words('seen.answers')
    },
  },
  {
    name: 'checkpoint',
    label: words('label.checkpoint'),
    needs: ['core'],
    action: reinstall,
    async run({ host }) {
      await (await coreParts()).checkpoint(host.dataDir)
      return words('seen.checkpoint')
    },
  },
  {
    name: 'backup',
    label: words('label.backup'),
    needs: ['core'],
    action: reinstall,
    async run({ host }) {
      const { backup } = await coreParts()
      const bytes = await backup(host, join(host.dataDir, '..', 'check.backup'))
      return words('seen.backup', { bytes })
    },
  },
  {
    name: 'opening',
    label: words('label.opening'),
    action: reinstall,
    async run({ host }) {
      const dataDir = join(host.dataDir, '..', 'opened')
      mkdirSync(dataDir)
      await (await coreParts()).openingOf(dataDir)
      return words('seen.answers')
    },
  },
  {
    name: 'translation',
    label: words('label.translation'),
    action: reinstall,
    async run() {
      const { countsTokens } = await coreParts()
      const isCounted = await countsTokens({ model: 'any', messages: [{ role: 'user', content: word }] })
      mustBe(isCounted, words('failed.translation'))
      return words('seen.translation')
    },
  },
  {
    name: 'schemas',
    label: words('label.schemas'),
    action: reinstall,
    async run({ host }) {
      const { schemaFaults } = await coreParts()
      const schema = { type: 'object', properties: { a: { type: 'number' } } }
      const faults = await schemaFaults(host.fork, schema, ['{"a":1}', '{"a":"b"}'])
      mustBe(faults[0]?.length === 0, words('failed.validRefused', { reason: faults[0]?.[0] ?? '' }))
      mustBe(faults[1]?.length === 1, words('failed.invalidAccepted'))
      return words('seen.schemas')
    },
  },
  {
    name: 'documents',
    label: words('label.documents'),
    action: reinstall,
    async run({ host }) {
      const { textOf } = await coreParts()
      const path = join(host.dataDir, '..', 'check.pdf')
      writeFileSync(path, pdfWith(word))
      mustBe((await textOf(host.fork, path, 'check.pdf')).includes(word), words('failed.documents'))
      return words('seen.documents')
    },
  },
  {
    name: 'memory',
    label: words('label.memory'),
    action: words('action.memory'),
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
        mustBe(took === null, words('failed.memory', { took: took ?? 0 }))
        await client.run(() => 'answer')
        return words('seen.memory')
      } finally {
        await client.terminate()
      }
    },
  },
  {
    name: 'voice',
    label: words('label.voice'),
    needs: ['core'],
    action: words('action.voice'),
    async run({ core }) {
      const { sandbox } = (await core()).addresses()
      mustBe(sandbox !== null, words('failed.sandbox'))
      const reply = await fetch(`${sandbox.baseUrl}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ input: 'Yes', response_format: 'wav' }),
      })
      const bytes = Buffer.from(await reply.arrayBuffer())
      mustBe(reply.ok, words('failed.voice', { reason: bytes.toString('utf8', 0, 500) }))
      mustBe(bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.length > 4_000, words('failed.sound'))
      return words('seen.voice', { bytes: bytes.length })
    },
  },
  {
    name: 'keychain',
    label: words('label.keychain'),
    action: words('action.keychain'),
    async run({ host: { secrets } }) {
      // Of its own, so that no key of a connection is touched.
      const account = `.self-check-${randomUUID()}`
      try {
        await secrets.set(account, word)
        mustBe((await secrets.get(account)) === word, words('failed.otherText'))
        await secrets.delete(account)
        mustBe((await secrets.get(account)) === null, words('failed.notDeleted'))
        return words('seen.keychain')
      } catch (thrown) {
        if (!(thrown instanceof StudioError) || thrown.message !== noSessionBus) throw thrown
        throw new NotHere(words('failed.noSessionBus'), words('action.noSessionBus'))
      }
    },
  },
  {
    name: 'tls',
    label: words('label.tls'),
    action: report,
    run: ({ host, certificates }) => checkTls(host.fork, certificates),
  },
  {
    name: 'page',
    label: words('label.page'),
    needs: ['core'],
    action: reinstall,
    async run({ page }) {
      const opened = await page()
      const { status, headers, body } = await opened.request('/index.html')
      const html = Buffer.from(body).toString()
      mustBe(status === 200 && html.includes('<div id="root"'), words('failed.page', { status: String(status) }))
      const policy = headers['content-security-policy'] ?? ''
      for (const rule of ["default-src 'none'", "script-src 'self'"]) {
        mustBe(policy.split('; ').includes(rule), words('failed.policy', { rule }))
      }
      const script = /<script[^>]* src="\.?(\/assets\/[^"]+\.js)"/.exec(html)?.[1]
      mustBe(script !== undefined, words('failed.noScript'))
      const sent = await opened.request(script)
      mustBe(
        sent.status === 200 && sent.headers['content-type']?.startsWith('text/javascript') === true,
        words('failed.script', { status: String(sent.status) }),
      )
      return await opened.look()
    },
  },
  {
    name: 'calls',
    label: words('label.calls'),
    needs: ['core'],
    action: report,
    run: async ({ page }) => (await page()).call(),
  },
  {
    name: 'range',
    label: words('label.range'),
    needs: ['core'],
    action: report,
    async run(parts) {
      const core = await parts.core()
      const mediaId = await storedImage(core)
      const { status, headers, body } = await (await parts.page()).request(mediaPath(mediaId), { range: 'bytes=1-3' })
      mustBe(status === 206, words('failed.range', { status: String(status) }))
      mustBe(Buffer.from(body).toString('latin1') === 'PNG', words('failed.rangeBytes'))
      return words('seen.range', { range: headers['content-range'] ?? '' })
    },
  },
  {
    name: 'download',
    label: words('label.download'),
    needs: ['core'],
    action: report,
    async run(parts) {
      const { archive } = createRouterClient((await parts.core()).router)
      const conversationId = await storedChat(parts)
      const { downloadId, bytes } = await archive.exportConversation({ conversationId, format: 'markdown' })
      const { status, headers, body } = await (await parts.page()).request(transferPath(downloadId))
      mustBe(status === 200, words('failed.download', { status: String(status) }))
      mustBe(body.length === bytes && Buffer.from(body).includes(word), words('failed.downloadBytes'))
      mustBe(headers['content-disposition']?.startsWith('attachment') === true, words('failed.attachment'))
      return words('seen.download', { bytes })
    },
  },
]

/** @throws StudioError `bug` with this reason when `isSo` is false */
export function mustBe(isSo: boolean, reason: Note): asserts isSo {
  if (!isSo) throw new StudioError('bug', reason.text, { note: reason })
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
  mustBe(status === 200, words('failed.upload', { status: String(status) }))
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
