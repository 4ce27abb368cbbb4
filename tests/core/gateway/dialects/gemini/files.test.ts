import { expect, it } from 'vitest'
import { ask, jsonWithKey } from '../../../../helpers/appRequest.ts'
import { testGateways } from '../../../../helpers/testGateways.ts'
import { plainPdf } from '../../../features/documents/corpus.ts'

const { beforeService } = testGateways()

const hello = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] }

/** Sends contents, and returns the messages at the service and the fields without effect. */
async function sentFor(contents: object[]) {
  const { far, gateway } = await beforeService((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(hello))
  })
  const address = `${gateway.url.replace(/v1$/, 'v1beta')}/models/m:generateContent`
  const answer = await ask(address, { method: 'POST', headers: jsonWithKey, body: JSON.stringify({ contents }) })
  expect(answer.status).toBe(200)
  const { messages } = JSON.parse(far.requests[0]?.body.toString() ?? '') as { messages: { content: unknown }[] }
  return { said: JSON.stringify(messages), ignored: answer.headers['x-studio-ignored'] }
}

const pdf = (bytes: Buffer) => ({
  inlineData: { mimeType: 'application/pdf', data: bytes.toString('base64'), displayName: 'plan.pdf' },
})

it('a PDF in a content and in the response of a function becomes its text', async () => {
  const call = { role: 'model', parts: [{ functionCall: { name: 'read', args: {} } }] }
  const response = { name: 'read', response: { output: 'Read:' }, parts: [pdf(plainPdf(1, 1))] }
  const contents = [{ parts: [pdf(plainPdf(1, 1))] }, call, { role: 'user', parts: [{ functionResponse: response }] }]
  const { said, ignored } = await sentFor(contents)
  expect(said.split('Line 1 of page 1 is about the harbour.')).toHaveLength(3)
  expect(ignored).toBeUndefined()
})

it('a file that can’t be read becomes a note with its name, and is named', async () => {
  const { said, ignored } = await sentFor([{ parts: [pdf(Buffer.from('%PDF-1.7 broken')), { text: 'Read it.' }] }])
  expect(said).toContain('The file \\"plan.pdf\\" could not be read')
  expect(ignored).toBe('contents.inlineData')
})
