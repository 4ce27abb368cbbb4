import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkInOwnRun } from '../../src-main/hosts/selfCheck/ownRun.ts'
import { type Check, NotHere, runChecks } from '../../src-main/hosts/selfCheck/run.ts'
import type { InstallationCheck } from '../../src-preload/contract/app.ts'
import type { Note } from '../../src-preload/contract/note.ts'
import { temporaryFolder } from '../helpers/folders.ts'

/** A sentence of a check. */
const said = (text: string): Note => ({ code: 'selfCheck:label.run', values: {}, text })

async function resultsOf(checks: readonly Partial<Check<null>>[], allMs = 60_000) {
  const results: InstallationCheck[] = []
  const whole = checks.map((check, at) => ({
    ...{ name: `c${at}`, label: said(`Check ${at}`), action: said('Do this.'), run: async () => said('seen') },
    ...check,
  }))
  const ok = await runChecks(whole, null, { allMs, report: (result) => results.push(result) })
  const byName = Object.fromEntries(results.map((one) => [one.name, one]))
  return { ok, results, byName }
}
const fails = async (): Promise<Note> => {
  throw new Error('It is gone.\nMore lines')
}

describe('the checks of a table', () => {
  it('report what was seen, or the reason in one line and what to do', async () => {
    const { ok, byName } = await resultsOf([{}, { run: fails }])
    expect(ok).toBe(false)
    expect(byName.c0).toMatchObject({ status: 'ok', detail: 'seen', action: null })
    expect(byName.c1).toMatchObject({ status: 'failed', detail: 'It is gone.', action: 'Do this.' })
  })

  it('skip what this computer does not have, which is no failure', async () => {
    const missing = async (): Promise<Note> => {
      throw new NotHere(said('There is none.'), said('Add one.'))
    }
    const { ok, byName } = await resultsOf([{ run: missing }])
    expect([ok, byName.c0]).toMatchObject([true, { status: 'skipped', detail: 'There is none.', action: 'Add one.' }])
  })

  it('skip what needs a failed one, without running it', async () => {
    let runs = 0
    const run = async (): Promise<Note> => said(String(++runs))
    const { byName } = await resultsOf([{ run: fails }, { needs: ['c0'], run }, { needs: ['c1'], run }])
    expect([byName.c1?.status, byName.c2?.status, runs]).toEqual(['skipped', 'skipped', 0])
    expect(byName.c1?.detail).toBe('It needs “Check 0”.')
    expect(byName.c1?.codes.detail).toEqual({ code: 'selfCheck:failed.needs', values: { check: said('Check 0') } })
  })

  it('give up one that hangs, and all when the time is over, while the others are reported', async () => {
    const hangs = (): Promise<Note> => new Promise(() => undefined)
    // Six that hang occupy every place, and the last never gets one.
    const { ok, results } = await resultsOf([{}, ...Array.from({ length: 6 }, () => ({ run: hangs })), {}], 300)
    expect(ok).toBe(false)
    expect(results.map(({ status }) => status).filter((status) => status === 'failed').length).toBeGreaterThanOrEqual(6)
    expect(results).toHaveLength(8)
    expect(results.find(({ status }) => status === 'failed')?.detail).toMatch(/did not end within 0\.\d seconds/)
  })

  it('run at most four at a time', async () => {
    let [now, most] = [0, 0]
    const run = async (): Promise<Note> => {
      now += 1
      most = Math.max(most, now)
      await new Promise((resolve) => setTimeout(resolve, 5))
      now -= 1
      return said('')
    }
    await resultsOf(Array.from({ length: 20 }, () => ({ run })))
    expect(most).toBe(4)
  })
})

describe('the check that the window shows', () => {
  /** Results of a program that prints these lines and ends so. */
  async function shownOf(lines: readonly string[], end = '') {
    const program = join(temporaryFolder('studio-own-run-'), 'program.mjs')
    writeFileSync(program, `process.stdout.write(${JSON.stringify(lines.map((line) => `${line}\n`).join(''))})\n${end}`)
    const shown: InstallationCheck[] = []
    for await (const result of checkInOwnRun(process.execPath, [program], new AbortController().signal))
      shown.push(result)
    return shown
  }
  const line = {
    name: 'tls',
    label: 'TLS',
    status: 'ok',
    detail: 'works',
    action: null,
    ms: 3,
    codes: { label: null, detail: null, action: null },
  }
  const last = '{"ok":true,"version":"1"}'

  it('has the results of the program, and ignores what a library prints', async () => {
    expect(await shownOf([JSON.stringify(line), 'A warning', '{"other":1}', last])).toEqual([line])
  })

  it('says that the program broke off, and how', async () => {
    const shown = await shownOf([JSON.stringify(line)], 'setTimeout(() => process.kill(process.pid, "SIGKILL"), 50)')
    expect(shown).toEqual([
      line,
      expect.objectContaining({ status: 'failed', detail: expect.stringContaining('ended') }),
    ])
  })

  it('says so when the program can’t be started', async () => {
    const shown: InstallationCheck[] = []
    for await (const one of checkInOwnRun('/nowhere/program', [], new AbortController().signal)) shown.push(one)
    expect(shown).toMatchObject([{ status: 'failed', detail: expect.stringContaining('ENOENT') }])
  })

  it('ends with the page that asked for it, and leaves no temporary file', async () => {
    const leaving = new AbortController()
    const program = join(temporaryFolder('studio-own-run-'), 'program.mjs')
    writeFileSync(
      program,
      `import { mkdtempSync } from 'node:fs'
      import { tmpdir } from 'node:os'
      const detail = mkdtempSync(tmpdir() + '/left-')
      console.log(JSON.stringify({ ...${JSON.stringify(line)}, detail }))
      setInterval(() => {}, 1000)`,
    )
    const shown: string[] = []
    for await (const { detail } of checkInOwnRun(process.execPath, [program], leaving.signal)) {
      shown.push(detail)
      expect(existsSync(detail)).toBe(true)
      leaving.abort()
    }
    expect(shown.map((folder) => existsSync(folder))).toEqual([false])
  })
})
