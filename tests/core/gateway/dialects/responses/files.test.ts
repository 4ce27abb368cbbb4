import { describe, expect, it } from 'vitest'
import { ask, jsonWithKey } from '../../../../helpers/appRequest.ts'
import { testGateways } from '../../../../helpers/testGateways.ts'
import { plainPdf } from '../../../features/documents/corpus.ts'

const { beforeService } = testGateways()

const hello = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] }
const pdf = (bytes: Buffer) => ({
  type: 'input_file',
  filename: 'harbour.pdf',
  file_data: `data:application/pdf;base64,${bytes.toString('base64')}`,
})

describe('a PDF', () => {
  const opened = async () => {
    const { far, gateway } = await beforeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(hello))
    })
    const post = (input: unknown, path = '/responses') => {
      const body = JSON.stringify({ model: 'm', store: false, input })
      return ask(`${gateway.url}${path}`, { method: 'POST', headers: jsonWithKey, body })
    }
    /** The content of the last message at the service. */
    const sent = (): string => JSON.parse(far.requests.at(-1)?.body.toString() ?? '{}').messages.at(-1).content
    return { far, post, sent }
  }

  it('of a person or a tool becomes its text, in a small and in a large request', async () => {
    const { post, sent } = await opened()
    const ofPerson = await post([{ role: 'user', content: [pdf(plainPdf(2, 2))] }])
    expect([ofPerson.status, ofPerson.headers['x-studio-ignored']]).toEqual([200, undefined])
    expect(sent()).toMatch(/^<file name="harbour.pdf">.*Line 1 of page 1 is about the harbour\..*<\/file>$/s)
    // Above 1 MB a request is translated on another thread.
    const result = { type: 'function_call_output', call_id: 'c', output: [pdf(plainPdf(2, 2, 1_000_000))] }
    const call = { type: 'function_call', call_id: 'c', name: 'read', arguments: '{}' }
    expect((await post([{ role: 'user', content: 'Read' }, call, result])).status).toBe(200)
    expect(sent()).toContain('Line 1 of page 2')
  })

  it('that is damaged becomes a note, which the log names, and the session goes on', async () => {
    const { post, sent } = await opened()
    const answer = await post([{ role: 'user', content: [pdf(Buffer.from('%PDF-1.4 nothing'))] }])
    expect([answer.status, answer.headers['x-studio-ignored']]).toEqual([200, 'input.input_file'])
    expect(sent()).toMatch(/^\[The file "harbour.pdf" could not be read: .+\]$/)
  })

  it('is counted with its text', async () => {
    const { far, post } = await opened()
    const countOf = async (bytes: Buffer): Promise<number> => {
      const answer = await post([{ role: 'user', content: [pdf(bytes)] }], '/responses/input_tokens')
      return JSON.parse(answer.body.toString()).input_tokens
    }
    expect(await countOf(plainPdf(10, 40))).toBeGreaterThan(20 * (await countOf(plainPdf(1, 1))))
    expect(far.requests).toHaveLength(0)
  })
})
