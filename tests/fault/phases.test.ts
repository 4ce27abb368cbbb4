import { describe, expect, it } from 'vitest'
import { asks, brokenOff, streamBody } from './helpers/app.ts'
import { chunk, done, event, head, jsonBody, streamHead } from './helpers/bytes.ts'
import type { Turn } from './helpers/rawFarEnd.ts'
import { asked, attempts, expectFree, expectOurAnswer, expectRow, openSetting } from './helpers/setting.ts'

// Tests four kinds of failure of the service at ten moments of a reply. Each cell checks the reply to the app, the number of attempts, the
// row of the log, and that the key's only slot is free afterwards.

interface Moment {
  /** What the service has written before it fails: head, framing and body. */
  written: (string | Uint8Array)[]
  /** The body that the app receives of it; null if the reply has not begun. */
  output: Uint8Array | null
}

const first = event('A light, ')
const letters = Buffer.from(event('hé 🌍'))
const halfLetter = letters.subarray(0, letters.indexOf(0xf0) + 2)
const jsonHead = head('200 OK', 'content-type: application/json', `content-length: ${jsonBody.length}`)

const moments: Record<string, Moment> = {
  'before a byte of the reply': { written: [], output: null },
  'inside the status line': { written: ['HTTP/1.1 20'], output: null },
  'inside the headers': { written: ['HTTP/1.1 200 OK\r\ncontent-type: text/event-st'], output: null },
  'after the headers': { written: [streamHead], output: Buffer.alloc(0) },
  'inside the first event': {
    written: [streamHead, chunk(first.slice(0, 20))],
    output: Buffer.from(first.slice(0, 20)),
  },
  'between two events': { written: [streamHead, chunk(first)], output: Buffer.from(first) },
  'inside a chunk’s length': { written: [streamHead, chunk(first), '4'], output: Buffer.from(first) },
  'inside a letter': {
    written: [streamHead, chunk(first), chunk(halfLetter)],
    output: Buffer.concat([Buffer.from(first), halfLetter]),
  },
  'after [DONE], before the end of the body': {
    written: [streamHead, chunk(first + done)],
    output: Buffer.from(first + done),
  },
  'inside a JSON reply': { written: [jsonHead, jsonBody.slice(0, 30)], output: Buffer.from(jsonBody.slice(0, 30)) },
}

interface Fault {
  act: (turn: Turn) => void | Promise<void>
  /** Status of the gateway's own reply, if the service's reply had not begun. */
  status: number
  code: string
  /** Number of attempts in that case. */
  asked: number
}

const faults: Record<string, Fault> = {
  'resets the connection': { act: (turn) => turn.reset(), status: 502, code: 'connection_lost', asked: attempts },
  'closes the connection': { act: (turn) => turn.close(), status: 502, code: 'connection_lost', asked: attempts },
  'falls silent': { act: () => undefined, status: 504, code: 'headers_timeout', asked: 1 },
  'goes on with garbage': {
    act: (turn) => turn.write('\u0000\u0001 no HTTP at all \r\n\r\n'),
    status: 502,
    code: 'malformed_reply',
    asked: 1,
  },
}

const cells = Object.entries(moments)
  .flatMap(([when, moment]) => Object.entries(faults).map(([what, fault]) => ({ when, moment, what, fault })))
  // A body of known length has no framing that could break: every byte is content.
  .filter(({ when, what }) => when !== 'inside a JSON reply' || what !== 'goes on with garbage')

const script =
  ({ written }: Moment, fault: Fault) =>
  async (turn: Turn): Promise<void> => {
    for (const bytes of written) await turn.write(bytes)
    await fault.act(turn)
  }

describe('when no reply has begun, the retry loop ends with one answer of this program [ERR-01] [ERR-06] [ERR-09] [ERR-10]', () => {
  it.each(cells.filter(({ moment }) => moment.output === null))('$when the service $what', async (cell) => {
    const { moment, fault } = cell
    const setting = await openSetting(script(moment, fault))
    const outcome = await asks(setting.gateway.url, { body: streamBody }).outcome
    expectOurAnswer(outcome, fault.status, fault.code)
    expect(asked(setting)).toBe(fault.asked)
    await Promise.all(setting.far.turns.map(({ closed }) => closed))
    await expectRow(setting, {
      state: 'failed',
      status: fault.status,
      problem: { kind: fault.code },
      attempts: fault.asked,
    })
    await expectFree(setting)
  })

  it('nothing listens at the service’s address', async () => {
    const setting = await openSetting(() => undefined)
    await setting.far.close()
    const outcome = await asks(setting.gateway.url, { body: streamBody }).outcome
    expectOurAnswer(outcome, 502, 'connect_failed')
    await expectRow(setting, { state: 'failed', problem: { kind: 'connect_failed' }, attempts })
  })
})

describe('when the reply has begun, a stream says that it broke off, the connection of the app is closed, and nothing is replayed or invented [SSE-04] [CHAT-19]', () => {
  it.each(cells.filter(({ moment }) => moment.output !== null))('$when the service $what', async (cell) => {
    const { when, moment, what, fault } = cell
    const output = Buffer.from(moment.output ?? [])
    const saysSo = !when.startsWith('after [DONE]') && when !== 'inside a JSON reply'
    // Half an event would spoil the one that says so.
    const passed = saysSo ? output.subarray(0, output.includes('\n\n') ? output.lastIndexOf('\n\n') + 2 : 0) : output
    const setting = await openSetting(script(moment, fault))
    const outcome = await asks(setting.gateway.url, { body: streamBody }).outcome
    expect(outcome.whole).toBe(false)
    if (what === 'resets the connection') {
      // A reset may overtake bytes sent before it, even the head.
      const body = brokenOff(outcome.body)?.before ?? outcome.body
      expect(output.subarray(0, body.length)).toEqual(body)
    } else if (saysSo) {
      expect(outcome.status).toBe(200)
      expect(brokenOff(outcome.body)).toEqual({ before: passed, code: 'incomplete_reply' })
    } else {
      expect(outcome.body).toEqual(output)
      expect(outcome.status).toBe(200)
    }
    expect(asked(setting)).toBe(1)
    await setting.far.turns[0]?.closed
    await expectRow(setting, { state: 'cut', attempts: 1 })
    await expectFree(setting)
  })
})
