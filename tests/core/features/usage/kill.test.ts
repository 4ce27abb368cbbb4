import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { reportedByUsage } from '../../../../src-main/core/features/usage/parseReplies.ts'
import { accountFile, openAccountReadOnly, openAccountStore } from '../../../../src-main/core/store/account/open.ts'
import { tries } from '../../../helpers/effort.ts'
import { randomNumbers } from '../../../helpers/random.ts'
import { freshFolder } from '../../helpers/core.ts'
import { setUserVersion } from '../../helpers/userVersion.ts'
import { readingOf } from './helpers.ts'
import { accountB, reportAt, stepMs } from './reportAt.ts'

/** Lets the process write for a while, kills it (-9) and returns the last step that it reported as written. */
async function writeAndKill(dataDir: string, afterMs: number): Promise<number> {
  const program = fileURLToPath(new URL('fetchForever.ts', import.meta.url))
  const child = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  let last = 0
  for await (const line of createInterface({ input: child.stdout })) {
    if (last === 0) setTimeout(() => child.kill('SIGKILL'), afterMs)
    last = Math.max(last, Number(line))
  }
  await exited
  return last
}

/** Everything that can be read from the file. */
function contents(dataDir: string) {
  const handle = new DatabaseSync(accountFile(dataDir), { readOnly: true })
  const all = (table: string) => handle.prepare(`SELECT * FROM ${table}`).all()
  const found = ['fetches', 'coverage', 'days', 'closed', 'undated'].map(all)
  const versions = handle.prepare("SELECT * FROM versions WHERE what = 'account'").all()
  expect(handle.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  expect(handle.prepare('PRAGMA foreign_key_check').all()).toEqual([])
  handle.close()
  return [...found, versions]
}

it('after kills at random moments, stored usage has only complete replies and has lost no written one', {
  tags: 'long',
}, async () => {
  const dataDir = freshFolder()
  const random = randomNumbers()
  for (let round = 0; round < tries(3, 20); round += 1) {
    const said = await writeAndKill(dataDir, random() * 120)
    const accountStore = openAccountStore(dataDir, { checkWhole: true })
    const { no } = accountStore.accounts.get('b') ?? { no: 0 }
    const last = Math.round((accountStore.fetches.lastAt(no, 'usage') ?? 0) / stepMs)
    expect(last).toBeGreaterThanOrEqual(said)
    // Days, balance and keys of a fetch are stored together or not at all.
    expect(JSON.parse(accountStore.versions.newest(no, 'usage', 'account')?.value ?? '{}')).toEqual({
      balance: String(1000 - last),
      spent: String(last),
    })
    expect(readingOf(accountStore, () => last * stepMs).keys({ accountId: 'b' })).toMatchObject([
      { name: `step ${last}` },
    ])
    accountStore.close()
    if (round > 0) continue
    // The same contents as without any kill.
    const calm = freshFolder()
    const other = openAccountStore(calm)
    const account = other.accounts.add(accountB)
    for (let step = 1; step <= last; step += 1) {
      const at = step * stepMs
      other.transaction(() => {
        other.saveReply(account.no, reportedByUsage({ askedAt: at, answeredAt: at }, reportAt(step)))
        other.fetches.add(account.no, 'keys', { at, days: null })
      })
    }
    other.close()
    expect(contents(dataDir)).toEqual(contents(calm))
  }
})

it('a file of a newer version is refused and left unchanged, with and without a core', () => {
  const dataDir = freshFolder()
  openAccountStore(dataDir).close()
  setUserVersion(accountFile(dataDir), 999)
  const before = readFileSync(accountFile(dataDir))
  const newer = expect.objectContaining({ kind: 'store_newer' })
  expect(() => openAccountStore(dataDir)).toThrow(newer)
  expect(() => openAccountReadOnly(dataDir)).toThrow(newer)
  expect(readFileSync(accountFile(dataDir)).equals(before)).toBe(true)
  expect(openAccountReadOnly(freshFolder())).toBeNull()
})
