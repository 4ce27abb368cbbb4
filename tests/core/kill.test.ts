import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createCore } from '../../src-main/core/core.ts'
import { recoverReplies } from '../../src-main/core/features/chat/recover.ts'
import { databaseFile, openStore } from '../../src-main/core/store/store.ts'
import { onlyLong, tries } from '../helpers/effort.ts'
import { randomNumbers } from '../helpers/random.ts'
import { ended, freshFolder, readUntil, testHost } from './helpers/core.ts'

const program = (name: string): string => fileURLToPath(new URL(`helpers/${name}.ts`, import.meta.url))

/** Runs a program in its own process, reads its output (one JSON a line) and kills it (-9) `afterMs` after `ready` is true. */
async function runAndKill(args: string[], ready: (said: unknown) => boolean, afterMs: number) {
  const process_ = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(process_, 'exit')
  const said: unknown[] = []
  let killedAt = 0
  let planned = false
  for await (const line of createInterface({ input: process_.stdout })) {
    // The kill truncated the last line.
    if (killedAt > 0 && !line.endsWith('}')) break
    said.push(JSON.parse(line))
    if (planned || !ready(said.at(-1))) continue
    planned = true
    setTimeout(() => {
      killedAt = Date.now()
      process_.kill('SIGKILL')
    }, afterMs)
  }
  await exited
  return { said, killedAt }
}

interface Sent {
  sent: { conversationId: string; turnId: string; replyIds: string[] }
}
/** One reported delta, and when it was reported (ms since 1970). */
interface ReportedDelta {
  at: number
  id: string
  length: number
}

const isDelta = (said: unknown): said is ReportedDelta => typeof said === 'object' && said !== null && 'at' in said
const isSent = (said: unknown): said is Sent => typeof said === 'object' && said !== null && 'sent' in said

it.each<[number, number]>([[1, tries(2, 20)], ...onlyLong([3, 10])])(
  'a core killed at random times loses no committed message and at most the last 500 ms of each of its %i choices',
  { tags: 'long' },
  async (n, rounds) => {
    const folder = freshFolder()
    const random = randomNumbers()
    for (let round = 0; round < rounds; round += 1) {
      const args = [program('streamForever'), folder, 'writer-large', `${n}`]
      const { said, killedAt } = await runAndKill(args, isDelta, random() * 700)
      const sent = said.find(isSent)?.sent
      if (!sent) throw new Error('Nothing was sent.')
      const reported = said.filter(isDelta)
      // Uses the clock of the process, because the process can't write while it does not run.
      const lastSign = Math.min(killedAt, reported.at(-1)?.at ?? 0)
      const core = await createCore(testHost(folder).host)
      try {
        const [turn] = await readUntil(core.chat.watch(sent), ended)
        expect(turn).toMatchObject({ id: sent.turnId, text: 'Go on', status: 'complete' })
      } finally {
        await core.stop()
      }
      const store = openStore(folder)
      for (const id of sent.replyIds) {
        const due = reported.findLast((one) => one.id === id && one.at <= lastSign - 500)?.length ?? 0
        const reply = store.messages.get(id)
        // The start of the output is stored at once, its text a moment later.
        const outputStarted = reply.text !== '' || reply.firstTokenMs !== null
        expect(reply.text.length).toBeGreaterThanOrEqual(due)
        const status = outputStarted ? 'incomplete' : 'failed'
        expect(reply).toMatchObject({ status, problem: { kind: 'cancelled', outputStarted } })
      }
      store.close()
      const database = new DatabaseSync(databaseFile(folder), { readOnly: true })
      expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
      expect(database.prepare('SELECT count(*) AS n FROM messages').get()).toEqual({ n: (1 + n) * (round + 1) })
      expect(database.prepare('SELECT count(*) AS n FROM pieces').get()).toEqual({ n: 0 })
      database.close()
    }
  },
)

it('a process killed while tools run keeps the last state of each call, with running ones failed and waiting ones waiting', {
  tags: 'long',
}, async () => {
  const random = randomNumbers()
  for (let round = 0; round < tries(2, 10); round += 1) {
    const folder = freshFolder()
    const isState = (one: unknown): one is { id: string; state: string } =>
      typeof one === 'object' && one !== null && 'state' in one
    const { said } = await runAndKill([program('callForever'), folder], isState, random() * 150)
    const last = new Map(said.filter(isState).map(({ id, state }) => [id, state]))
    const store = openStore(folder)
    recoverReplies(store)
    const order = ['awaiting', 'running', 'done']
    for (const [id, state] of last) {
      const { role, run, status } = store.messages.get(id)
      if (role !== 'tool' || !run) {
        expect(['complete', 'incomplete', 'failed']).toContain(status)
        continue
      }
      // Every reported state is stored. One later state may be stored and not reported.
      const after = order.indexOf(state)
      const possible = order.slice(after, after + 2).map((one) => (one === 'running' ? 'failed' : one))
      expect(possible).toContain(run.state)
      expect(status).toBe({ awaiting: 'pending', failed: 'failed', done: 'complete' }[run.state as 'done'])
    }
    const [conversation] = store.conversations.list()
    const path = store.messages.path(conversation?.leafId ?? null)
    expect(path).toHaveLength(conversation?.messages ?? -1)
    expect(store.messages.links(conversation?.id ?? '')).toHaveLength(path.length)
    // An ended reply has all of its calls or none, because they are one transaction.
    for (const [at, { toolCalls, status }] of path.entries()) {
      if (status !== 'complete' || toolCalls.length === 0) continue
      expect(path.slice(at + 1, at + 3).map(({ role }) => role)).toEqual(['tool', 'tool'])
    }
    store.close()
  }
})
