import type { InstallationCheck } from '../../../src-preload/contract/app.ts'
import { StudioError } from '../../core/errors.ts'

/** One thing that a check of the installation tries out. */
export interface Check<Parts> {
  /** For programs that read `--json`. */
  name: string
  /** For people. */
  label: string
  /** Names of checks of which this one uses the result. It is skipped unless all of them are ok. */
  needs?: readonly string[]
  /** What to do after a failure, when the thrown error does not say it. */
  action: string
  /** Returns what was seen, in words. @throws NotHere for what this computer does not have; anything else is a failure */
  run(parts: Parts): Promise<string>
}

/** This computer lacks what is to be checked, and the program works without it. */
export class NotHere extends Error {
  readonly action: string

  constructor(message: string, action: string) {
    super(message)
    this.action = action
  }
}

interface RunOptions {
  /** Called with each result as soon as it is known. */
  report(result: InstallationCheck): void
  /** When the last check is given up, ms from now. One check may take two thirds of it. */
  allMs: number
}

/** Longest time of one check, ms. */
export const longestMs = (allMs: number): number => (allMs * 2) / 3

/** Checks that run at the same time. More would wait for each other's processor time, and exceed their time on a small computer. */
const atOnce = 4

/** Runs the checks of a table, and returns whether none failed. Never rejects. */
export async function runChecks<Parts>(
  checks: readonly Check<Parts>[],
  parts: Parts,
  { report, allMs }: RunOptions,
): Promise<boolean> {
  const end = performance.now() + allMs
  const results = new Map<string, Promise<InstallationCheck>>()
  let free = atOnce
  const waiting: (() => void)[] = []
  const take = (): Promise<void> | undefined => {
    free -= 1
    return free >= 0 ? undefined : new Promise((resolve) => waiting.push(resolve))
  }
  const give = (): void => {
    free += 1
    waiting.shift()?.()
  }

  async function resultOf(check: Check<Parts>): Promise<InstallationCheck> {
    const { name, label } = check
    const needed = await Promise.all((check.needs ?? []).flatMap((one) => results.get(one) ?? []))
    const missing = needed.find((one) => one.status !== 'ok')
    if (missing) {
      const action = `Solve “${missing.label}” first.`
      return { name, label, status: 'skipped', detail: `It needs “${missing.label}”.`, action, ms: 0 }
    }
    await take()
    const start = performance.now()
    const since = (): number => Math.round(performance.now() - start)
    try {
      const detail = await inTime(check.run(parts), Math.max(0, Math.min(longestMs(allMs), end - start)))
      return { name, label, status: 'ok', detail, action: null, ms: since() }
    } catch (thrown) {
      const isHere = !(thrown instanceof NotHere)
      const action = isHere ? check.action : thrown.action
      return { name, label, status: isHere ? 'failed' : 'skipped', detail: wordsOf(thrown), action, ms: since() }
    } finally {
      give()
    }
  }

  // In the order of the table, in which a check comes after those that it needs.
  for (const check of checks) {
    const result = resultOf(check)
    results.set(check.name, result)
    result.then(report, () => undefined)
  }
  const all = await Promise.all(results.values())
  return all.every(({ status }) => status !== 'failed')
}

/** @throws StudioError `bug` when `work` takes longer than `ms` */
async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const seconds = (ms / 1000).toFixed(1)
  const timer = setTimeout(() => late.reject(new StudioError('bug', `It did not end within ${seconds} seconds.`)), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** The reason as one sentence, because what to do follows it. Node puts the files that need a missing one on further lines. */
function wordsOf(thrown: unknown): string {
  const [words = ''] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n', 1)
  return /[.!?]$/.test(words) ? words : `${words}.`
}
