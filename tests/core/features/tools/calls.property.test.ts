// @long Many restarts. round.test.ts and check.test.ts show each of the steps.

import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { isSettled } from '../../../../src-main/core/ports/toolCalls.ts'
import { tries } from '../../../helpers/effort.ts'
import { startHttp } from '../../../helpers/mcp/http.ts'
import { addTool, call, type Feature, makeFeature, type Row } from './helpers.ts'

let http: Awaited<ReturnType<typeof startHttp>>
beforeAll(async () => {
  http = await startHttp('modern')
})
afterAll(() => http.close())

const calls = {
  byHand: () => call('add', { a: 1, b: 2 }),
  wrong: () => call('add', { a: 'x' }),
  echo: () => call('Test_echo', { text: 'x' }),
  slow: () => call('Test_slow', { ms: 60_000 }),
  nothing: () => call('nothing', {}),
}
type Kind = keyof typeof calls
const kinds: Kind[] = ['byHand', 'wrong', 'echo', 'slow', 'nothing']

const rounds = fc.array(fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 3,
})
const step = fc.record({
  what: fc.constantFrom('once', 'conversation', 'always', 'no', 'answer', 'stop', 'stopAll', 'restart', 'resume'),
  which: fc.nat(20),
  /** Whether the next step waits for this one. */
  wait: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function take(feature: Feature, conversation: string, { what, which }: Step): Promise<void> {
  const rows = [...feature.toolCalls.rows.values()]
  const { id } = rows[which % rows.length] as Row
  try {
    if (what === 'restart') await feature.restart()
    else if (what === 'answer') await feature.tools.answer(id, 'by hand', false)
    else if (what === 'stop') feature.tools.stopCall(id)
    else if (what === 'stopAll') feature.tools.stopCalls(conversation)
    else if (what === 'resume') {
      // The window offers this for a settled round that was not continued.
      if (!feature.toolCalls.asked.includes(String(feature.toolCalls.toolMessage(id).parentId)))
        await feature.tools.resume(id)
    } else await feature.tools.decide(id, what)
  } catch (thrown) {
    // An action that the state of a call does not allow fails and changes nothing.
    if (!(thrown instanceof StudioError) || !['bad_input', 'busy'].includes(thrown.kind)) throw thrown
  }
}

/** The person finishes everything. */
async function finish(feature: Feature, cameAtTheEnd: ReadonlySet<string | null>): Promise<void> {
  for (;;) {
    const { tools, toolCalls } = feature
    for (const { id, run } of toolCalls.openCalls()) {
      if (run.state === 'by_hand') await tools.answer(id, 'at last', false)
      else if (run.state === 'running') tools.stopCall(id)
      else await tools.decide(id, 'no').catch(() => undefined)
    }
    const left = [...toolCalls.rows.values()].find(({ parentId }) => !toolCalls.asked.includes(String(parentId)))
    if (!left && toolCalls.openCalls().length === 0) return
    if (left && toolCalls.rowsBeside(left.id).every(({ run }) => isSettled(run))) {
      // Only calls that ended with the program or by stopping everything are left to the person.
      const cut = toolCalls.rowsBeside(left.id).some(({ run }) => run.state === 'failed' || run.state === 'stopped')
      expect(cut || cameAtTheEnd.has(left.parentId)).toBe(true)
      await tools.resume(left.id)
    }
    await new Promise(setImmediate)
  }
}

test('in any order of decisions, results, stops and restarts, each call is settled once and each round continued once', async () => {
  await fc.assert(
    fc.asyncProperty(rounds, fc.array(step, { maxLength: 14 }), async (wanted, steps) => {
      const feature = makeFeature()
      const transport = { kind: 'http' as const, url: http.url, headers: [] }
      const { id } = await feature.tools.saveServer({ name: 'Test', transport, timeoutSeconds: 30, secrets: {} })
      await feature.tools.switchServer(id, true)
      await feature.state(id, ({ state }) => state === 'ready')
      const { id: own } = await feature.tools.saveFunction(addTool)
      const conversation = feature.conversation({ enabled: [`function:${own}`, `mcp:${id}:echo`, `mcp:${id}:slow`] })
      const left = [...wanted]
      const cameAtTheEnd = new Set<string | null>()
      const reply = (): void => {
        const next = left.shift()
        if (!next) return
        const [row] = feature.reply(
          conversation,
          next.map((kind) => calls[kind]()),
        )
        if (feature.down) cameAtTheEnd.add(row?.parentId ?? null)
      }
      feature.toolCalls.onAsk = () => void setImmediate(reply)
      reply()
      const under: Promise<void>[] = []
      for (const one of steps) {
        // A restart closes the database, so the old program must have finished.
        if (one.what === 'restart') await Promise.all(under)
        const work = take(feature, conversation, one)
        under.push(work)
        if (one.wait || one.what === 'restart') await work
      }
      await Promise.all(under)
      while (left.length > 0 || feature.toolCalls.asked.length < wanted.length) {
        await finish(feature, cameAtTheEnd)
        await new Promise(setImmediate)
      }
      expect(feature.toolCalls.asked).toHaveLength(wanted.length)
      expect(new Set(feature.toolCalls.asked).size).toBe(wanted.length)
      for (const row of feature.toolCalls.rows.values()) {
        expect(isSettled(row.run)).toBe(true)
        expect(feature.toolCalls.settledTimes.get(row.id)).toBe(1)
        expect(row.text).not.toBe('')
        expect(row.run.finishedAt).not.toBeNull()
      }
      expect(feature.lines).toEqual([])
      await feature.close()
    }),
    { numRuns: tries(12, 120) },
  )
})
