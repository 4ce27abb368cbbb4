import type OpenAI from 'openai'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { expect, it } from 'vitest'
import { openOpenAiClient } from './helpers/service.ts'

// The official package's WebSocket client, with only the two settings of the Local API page.
const { service, client } = await openOpenAiClient()

type Turn = OpenAI.Responses.Response | { code: string }

/** Sends one turn and resolves when it has ended. */
async function turn(socket: ResponsesWS, body: Record<string, unknown>): Promise<Turn> {
  const ended = new Promise<Turn>((resolve, reject) => {
    socket.on('response.completed', ({ response }) => resolve(response))
    socket.on('response.failed', ({ response }) => reject(new Error(response.error?.message)))
    socket.on('error', (error) => resolve({ code: JSON.stringify(error.error ?? error.message) }))
  })
  socket.send({ type: 'response.create', model: 'mirror', ...body })
  return ended
}

it('creates a response, continues it without storing it, and reads the error of an unknown one', async () => {
  const socket = new ResponsesWS(client)
  const first = await turn(socket, { input: 'Remember the lighthouse of Pharos.', store: false })
  if (!('id' in first)) throw new Error(first.code)
  expect(JSON.stringify(first.output)).toContain('Pharos')
  socket.close()
  const next = new ResponsesWS(client)
  const unknown = await turn(next, { input: 'Where?', store: false, previous_response_id: first.id })
  expect(unknown).toMatchObject({ code: expect.stringContaining('previous_response_not_found') })
  next.close()
  expect(service.sandbox.observe.requests()).toHaveLength(1)
})
