import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createCore } from '../../src-main/core/core.ts'
import { databaseFile } from '../../src-main/core/store/store.ts'
import { ended, freshFolder, readUntil, testHost } from './helpers/core.ts'

const child = fileURLToPath(new URL('helpers/streamForever.ts', import.meta.url))

interface Cut {
  conversationId: string
  turnId: string
  /** What had been told, and when (ms since 1970), delta by delta. */
  told: { at: number; length: number }[]
  killedAt: number
}

/** Runs a core in its own process and kills it (-9) `afterMs` after its first delta. */
async function streamAndKill(folder: string, afterMs: number): Promise<Cut> {
  const process_ = spawn(process.execPath, [child, folder, 'writer-large'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const cut: Cut = { conversationId: '', turnId: '', told: [], killedAt: 0 }
  const exited = once(process_, 'exit')
  let planned = false
  for await (const line of createInterface({ input: process_.stdout })) {
    const said = JSON.parse(line)
    if (said.sent) Object.assign(cut, said.sent)
    else cut.told.push(said)
    if (said.sent || planned) continue
    planned = true
    setTimeout(() => {
      cut.killedAt = Date.now()
      process_.kill('SIGKILL')
    }, afterMs)
  }
  await exited
  return cut
}

it('a core killed at random moments loses no committed message and at most 500 ms of a tail; the reply is marked', async () => {
  const folder = freshFolder()
  for (let round = 0; round < 20; round += 1) {
    const cut = await streamAndKill(folder, Math.random() * 700)
    const core = await createCore(testHost(folder).host)
    try {
      const [turn, reply] = await readUntil(core.chat.watch(cut), ended)
      const due = cut.told.findLast(({ at }) => at <= cut.killedAt - 500)?.length ?? 0
      expect(turn).toMatchObject({ id: cut.turnId, text: 'Go on', status: 'complete' })
      expect(reply).toMatchObject({ status: 'incomplete', problem: { kind: 'cancelled', outputStarted: true } })
      expect(reply?.text.length).toBeGreaterThanOrEqual(due)
    } finally {
      await core.stop()
    }
    const database = new DatabaseSync(databaseFile(folder), { readOnly: true })
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    expect(database.prepare('SELECT count(*) AS n FROM messages').get()).toEqual({ n: 2 * (round + 1) })
    expect(database.prepare('SELECT count(*) AS n FROM pieces').get()).toEqual({ n: 0 })
    database.close()
  }
}, 120_000)
