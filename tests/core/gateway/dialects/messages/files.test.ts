import { describe, expect, it } from 'vitest'
import type { FileReader } from '../../../../../src-main/core/ports/fileReader.ts'
import { appKey, ask, jsonWithKey, secondKey } from '../../../../helpers/appRequest.ts'
import type { Gateway } from '../../../../helpers/gateway.ts'
import { testGateways } from '../../../../helpers/testGateways.ts'
import { corpusBytes, plainPdf } from '../../../features/documents/corpus.ts'

const { beforeService } = testGateways()

const user = (...content: unknown[]) => ({ role: 'user', content })
const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Read', input: {} }] }
const pdf = (bytes: Buffer, extra: object = {}) => ({
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: bytes.toString('base64') },
  ...extra,
})
/** A conversation in which a tool has read files, as coding agents send it in every turn. */
const afterRead = (...files: object[]) => ({
  model: 'claude-x',
  max_tokens: 100,
  messages: [user({ type: 'text', text: 'x' }), call, user({ type: 'tool_result', tool_use_id: 't1', content: files })],
})

const hello = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] }

async function withService(openFileReader?: () => FileReader) {
  const { far, gateway } = await beforeService(
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(hello))
    },
    openFileReader ? { openFileReader } : {},
  )
  /** The text of the last message at the service. */
  const sent = (): string => JSON.parse(far.requests.at(-1)?.body.toString() ?? '{}').messages.at(-1).content
  return { far, gateway, sent }
}

const post = (gateway: Gateway, body: object, path = '/messages', key = appKey) =>
  ask(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { ...jsonWithKey, authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })

/** A converter that counts its files, and takes as long as a test wants. */
function countingReader(waitFor: (name: string) => Promise<void> = async () => undefined) {
  const read: string[] = []
  const open = (): FileReader => {
    let end: (error: Error) => void = () => undefined
    return {
      read: ({ bytes, name }) => {
        read.push(name)
        const ended = new Promise<never>((_resolve, reject) => {
          end = reject
        })
        return Promise.race([ended, waitFor(name).then(() => `text of ${bytes.length} bytes`)])
      },
      terminate: async () => end(new Error('ended')),
    }
  }
  return { read, open }
}

describe('a file in a tool result', () => {
  it('becomes the text that the document converter reads from it, in a small and in a large request', async () => {
    const { gateway, sent } = await withService()
    const small = await post(gateway, afterRead(pdf(plainPdf(2, 2))))
    expect([small.status, small.headers['x-studio-ignored']]).toEqual([200, undefined])
    expect(sent()).toContain('[Page 1]\nLine 1 of page 1 is about the harbour.')
    expect(sent()).toContain('[Page 2]')
    // Above 1 MB a request is translated on another thread.
    const large = await post(gateway, afterRead(pdf(plainPdf(2, 2, 1_000_000), { title: 'Harbour' })))
    expect(large.status).toBe(200)
    expect(sent()).toContain('Document: Harbour\n\n[Page 1]\nLine 1 of page 1')
  })

  it('may be an Office file, or text in another encoding than UTF-8', async () => {
    const { gateway, sent } = await withService()
    const docx = {
      type: 'base64',
      media_type: 'application/msword',
      data: corpusBytes('report.docx').toString('base64'),
    }
    expect((await post(gateway, afterRead({ type: 'document', source: docx }))).status).toBe(200)
    expect(sent().length).toBeGreaterThan(200)
    const latin = {
      type: 'base64',
      media_type: 'text/plain',
      data: Buffer.from('größer als früher', 'latin1').toString('base64'),
    }
    expect((await post(gateway, afterRead({ type: 'document', source: latin }))).status).toBe(200)
    expect(sent()).toContain('größer als früher')
  })

  it('that can not be read becomes a note with the reason, which the log names, and the session goes on', async () => {
    const { gateway, sent } = await withService()
    const damaged = { type: 'base64', media_type: 'application/pdf', data: damagedPdf }
    const answer = await post(gateway, afterRead({ type: 'document', source: damaged }))
    expect([answer.status, answer.headers['x-studio-ignored']]).toEqual([200, 'messages.document.base64'])
    expect(sent()).toMatch(/^\[The file "application\/pdf" could not be read: .+\]$/)
    await expect.poll(async () => (await gateway.rows())[0]?.state).toBe('done')
  })

  it('is read once, although every turn sends it again, and by each app on its own', async () => {
    const { read, open } = countingReader()
    const { gateway } = await withService(open)
    const body = afterRead(pdf(Buffer.from('%PDF-1')), pdf(Buffer.from('%PDF-2')), pdf(Buffer.from('%PDF-1')))
    for (let turn = 0; turn < 3; turn++) expect((await post(gateway, body)).status).toBe(200)
    expect(read).toHaveLength(2)
    await post(gateway, body, '/messages', secondKey)
    expect(read).toHaveLength(4)
  })

  it('is counted with its text by count_tokens', async () => {
    const { gateway, far } = await withService()
    const countOf = async (content: object) =>
      JSON.parse((await post(gateway, afterRead(content), '/messages/count_tokens')).body.toString()).input_tokens
    const [short, long] = [await countOf(pdf(plainPdf(1, 1))), await countOf(pdf(plainPdf(10, 40)))]
    expect(short).toBeGreaterThan(10)
    expect(long).toBeGreaterThan(short * 20)
    expect(far.requests).toHaveLength(0)
  })

  it('that takes long delays no file of another app', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { read, open } = countingReader((name) => (name === 'slow' ? released : Promise.resolve()))
    const { gateway } = await withService(open)
    const slow = Array.from({ length: 3 }, (_, n) =>
      post(gateway, afterRead(pdf(Buffer.from(`%PDF-${n}`), { title: 'slow' }))),
    )
    await expect.poll(() => read).toEqual(['slow'])
    const quick = await post(gateway, afterRead(pdf(Buffer.from('%PDF-9'), { title: 'quick' })), '/messages', secondKey)
    expect(quick.status).toBe(200)
    expect(read).toEqual(['slow', 'quick'])
    release()
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect(read).toEqual(['slow', 'quick', 'slow', 'slow'])
  })

  it('has at most two million characters with all others of its request, and a hundred files are read', async () => {
    const { read, open } = countingReader()
    const { gateway, sent } = await withService(() => ({
      ...open(),
      read: async ({ name }) => {
        read.push(name)
        return name === 'long' ? 'x'.repeat(1_500_000) : 'y'
      },
    }))
    const long = [1, 2, 3].map((n) => pdf(Buffer.from(`%PDF-${n}`), { title: 'long' }))
    await post(gateway, afterRead(...long))
    expect(sent().length).toBeLessThan(2_001_000)
    expect(sent().slice(-400)).toContain('because the files of this request have too much text.]')
    expect(sent().slice(-400)).toContain('could not be read: The files of this request have too much text.]')
    expect(read).toHaveLength(2)
    const many = Array.from({ length: 150 }, (_, n) => pdf(Buffer.from(`%PDF-many-${n}`)))
    await post(gateway, afterRead(...many))
    expect(read).toHaveLength(102)
    expect(sent().slice(-400)).toContain('Only 100 different files of a request are read.')
  })
})

/** A PDF with a catalog and no pages, as a tool result of a real session had it. */
const damagedPdf = 'JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZz4+ZW5kb2JqCnRyYWlsZXI8PC9Sb290IDEgMCBSPj4KJSVFT0Y='
