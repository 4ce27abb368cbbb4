import type { InstallationCheck } from '../../../src-preload/contract/app.ts'
import { codeOf, type Note, type Sentence, textOf } from '../../../src-preload/contract/note.ts'
import { StudioError } from '../../core/errors.ts'
import { words } from './words.ts'

/** One thing that a check of the installation tries out. */
export interface Check<Parts> {
  /** For programs that read `--json`. */
  name: string
  /** For people. */
  label: Note
  /** Names of checks of which this one uses the result. It is skipped unless all of them are ok. */
  needs?: readonly string[]
  /** What to do after a failure, when the thrown error does not say it. */
  action: Note
  /** Returns what was seen. @throws NotHere for what this computer does not have; anything else is a failure */
  run(parts: Parts): Promise<Note>
}

/** This computer lacks what is to be checked, and the program works without it. */
export class NotHere extends Error {
  readonly reason: Note
  readonly action: Note

  constructor(reason: Note, action: Note) {
    super(reason.text)
    this.reason = reason
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
    let startedAt = performance.now()
    const result = (status: InstallationCheck['status'], detail: Sentence, action: Note | null): InstallationCheck => ({
      ...{ name, label: textOf(label), status, detail: textOf(detail), action: action && textOf(action) },
      ms: Math.round(performance.now() - startedAt),
      codes: { label: codeOf(label), detail: codeOf(detail), action: codeOf(action) },
    })
    const needed = await Promise.all((check.needs ?? []).flatMap((one) => results.get(one) ?? []))
    const missing = needed.find((one) => one.status !== 'ok')
    if (missing) {
      const values = { check: checks.find((one) => one.name === missing.name)?.label ?? missing.label }
      startedAt = performance.now()
      return result('skipped', words('failed.needs', values), words('action.needs', values))
    }
    await take()
    startedAt = performance.now()
    try {
      const seen = await inTime(check.run(parts), Math.max(0, Math.min(longestMs(allMs), end - startedAt)))
      return result('ok', seen, null)
    } catch (thrown) {
      if (thrown instanceof NotHere) return result('skipped', thrown.reason, thrown.action)
      return result('failed', reasonOf(thrown), check.action)
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
  const note = words('failed.late', { seconds: (ms / 1000).toFixed(1) })
  const timer = setTimeout(() => late.reject(new StudioError('bug', note.text, { note })), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The reason: a note of a check, else the message of an error as one sentence, because what to do follows it. Node puts the files that need a
 * missing one on further lines.
 */
function reasonOf(thrown: unknown): Sentence {
  if (thrown instanceof StudioError && thrown.facts.note) return thrown.facts.note
  const [message = ''] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n', 1)
  return /[.!?]$/.test(message) ? message : `${message}.`
}
