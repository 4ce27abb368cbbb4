import { describe, expect, it } from 'vitest'
import { ask, jsonWithKey } from '../../../helpers/appRequest.ts'
import { testGateways } from '../../../helpers/testGateways.ts'

// Codex ignores `x-should-retry`. Its requests fail in their stream, which it does not repeat (docs/decisions/0011-agent-replays.md).

const { closers, beforeService } = testGateways()

const codex = { originator: 'codex_exec', 'user-agent': 'codex_exec/0.169.0 (Debian)' }

/** A service that replies with this status, and a gateway that does not retry. */
async function refusing(status: number) {
  return beforeService(
    (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_far' })
      response.end('{"error":{"message":"No space today","type":"overloaded"}}')
    },
    { app: { retries: false } },
  )
}

const create = async ({ url }: { url: string }, headers: Record<string, string>, body: Record<string, unknown>) => {
  const answer = await ask(`${url}/responses`, {
    method: 'POST',
    headers: { ...jsonWithKey, ...headers },
    body: JSON.stringify({ model: 'm', input: 'Hello', ...body }),
  })
  return { status: answer.status, headers: answer.headers, text: answer.body.toString() }
}

interface StreamEvent {
  type: string
  code?: string
  response?: { id: string; status: string; store: boolean; error: { code: string; message: string } | null }
}
const eventsIn = (text: string): StreamEvent[] =>
  text.split('\n').flatMap((line) => (line.startsWith('data: ') ? (JSON.parse(line.slice(6)) as StreamEvent) : []))

describe('a failure before the reply began', () => {
  it.each([500, 502, 503, 504])(
    'with %i is a failed stream for Codex, with the message of the service',
    async (status) => {
      const { far, gateway } = await refusing(status)
      const { status: sent, headers, text } = await create(gateway, codex, { stream: true, store: false })
      expect([sent, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
      const events = eventsIn(text)
      expect(events.map(({ type }) => type)).toEqual([
        'response.created',
        'response.in_progress',
        'error',
        'response.failed',
      ])
      expect(events.at(-2)?.code).toBe('server_error')
      expect(events.at(-1)?.response).toMatchObject({
        status: 'failed',
        error: { code: 'invalid_prompt', message: 'No space today' },
      })
      expect(far.requests).toHaveLength(1)
      expect((await gateway.rows())[0]).toMatchObject({ status, state: 'done' })
    },
  )

  it('names missing credits as the cause (402)', async () => {
    const { gateway } = await refusing(402)
    const { text } = await create(gateway, codex, { stream: true, store: false })
    expect(eventsIn(text).at(-1)?.response?.error?.code).toBe('insufficient_quota')
  })

  it('is a failed stream also when the service can’t be reached', async () => {
    const { far, gateway } = await refusing(503)
    await far.close()
    closers.shift()
    for (const store of [false, true]) {
      const { status, headers, text } = await create(gateway, codex, { stream: true, store })
      expect([status, headers['x-studio-answer']]).toEqual([200, 'studio_upstream'])
      const events = eventsIn(text)
      expect(events.at(-1)?.response).toMatchObject({ status: 'failed', error: { code: 'invalid_prompt' } })
      // There is no reply to be stored, and none of the events claims one.
      expect(events.flatMap(({ response }) => response?.store ?? [])).toEqual([false, false, false])
      expect((await gateway.rows())[0]).toMatchObject({ state: 'failed', status: 502 })
      const id = events.at(-1)?.response?.id
      expect((await ask(`${gateway.url}/responses/${id}`, { headers: jsonWithKey })).status).toBe(404)
    }
  })

  it('can be read again when the app wanted it stored', async () => {
    const { gateway } = await refusing(503)
    const { text } = await create(gateway, codex, { stream: true })
    const { response } = eventsIn(text).at(-1) ?? {}
    const answer = await ask(`${gateway.url}/responses/${response?.id}`, { headers: jsonWithKey })
    expect(JSON.parse(answer.body.toString())).toEqual(response)
  })

  it.each([
    ['another program', {}, { stream: true }, 503],
    ['Codex without a stream', codex, {}, 503],
    ['Codex, after a status that it does not repeat', codex, { stream: true }, 429],
    ['Codex, after a refused request', codex, { stream: true }, 400],
  ])('keeps its status for %s', async (_, headers: Record<string, string>, body, status) => {
    const { gateway } = await refusing(status)
    const reply = await create(gateway, headers, { ...body, store: false })
    expect([reply.status, JSON.parse(reply.text)]).toMatchObject([status, { error: { message: 'No space today' } }])
  })
})
