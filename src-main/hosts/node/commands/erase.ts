import { createInterface } from 'node:readline/promises'
import {
  type Erasable,
  type ErasePlan,
  type EraseState,
  erasables,
} from '../../../../src-preload/contract/retention.ts'
import { StudioError } from '../../../core/errors.ts'
import type { Parts } from '../dependencies.ts'
import { openDataDir } from '../folder.ts'
import { exitCodes, printJson, say, sayTable } from '../output.ts'
import { listenForInterrupt } from '../signals.ts'

export interface EraseOptions {
  what: readonly Erasable[]
  olderThan: number
  archivedOnly: boolean
  yes: boolean
  dataDir?: string
  json: boolean
}

const names: Record<Erasable, string> = {
  conversations: 'Conversations',
  bodies: 'Kept bodies',
  log: 'Request log',
  alerts: 'Alerts',
  speech: 'Speech',
  recordings: 'Recordings',
  images: 'Images',
}

/** Erases by age, for good, in a folder that no studio runs in: counted, shown, and done with a yes. */
export async function erase(options: EraseOptions, parts: Parts): Promise<number> {
  const { json } = options
  const data = await parts.openErase(await openDataDir(options.dataDir))
  const interrupt = listenForInterrupt()
  interrupt.signal.addEventListener('abort', data.stop, { once: true })
  try {
    const plan = await data.count({ ...options, olderThanDays: options.olderThan })
    if (!json) sayTable(plan.parts.map(({ what, items }) => [names[what], String(items)] as const))
    if (plan.parts.every(({ items }) => items === 0)) {
      if (json) printJson({ before: plan.before, erased: plan.parts.map(({ what }) => ({ what, items: 0 })) })
      else say('Nothing is that old.')
      return exitCodes.ok
    }
    if (!options.yes && !(await interrupt.or(ask(plan)))) {
      say('Nothing was erased.')
      return exitCodes.failed
    }
    return notify(plan, await data.erase(plan), json)
  } finally {
    interrupt.release()
    await data.close()
  }
}

function notify({ before }: ErasePlan, last: EraseState['last'], json: boolean): number {
  if (last?.problem) throw new StudioError(last.problem.kind, last.problem.message)
  const erased = last?.parts ?? []
  const stopped = last?.stopped ?? false
  if (json) printJson({ before, stopped, erased })
  else {
    const count = erased.reduce((sum, { items }) => sum + items, 0)
    say(
      stopped ? `Stopped: ${count} things are gone, the rest is still there.` : `${count} things were erased for good.`,
    )
  }
  return stopped ? exitCodes.failed : exitCodes.ok
}

/** @throws StudioError `bad_input` where nobody can be asked */
async function ask({ before }: ErasePlan): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new StudioError('bad_input', `Say --yes to erase these of before ${before} for good.`)
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await terminal.question(`Erase these of before ${before} for good? (yes/no) `)).trim())
  } finally {
    terminal.close()
  }
}

/** @throws StudioError `bad_input` */
export function readWhat(text: string): Erasable[] {
  const asked = text.split(',').map((one) => one.trim())
  const wrong = asked.find((one) => !erasables.some((known) => known === one))
  if (wrong !== undefined) {
    throw new StudioError('bad_input', `“${wrong}” is none of ${erasables.join(', ')}.`)
  }
  return erasables.filter((one) => asked.includes(one))
}
