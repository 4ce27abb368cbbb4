import { createInterface } from 'node:readline/promises'
import {
  type DeletableKind,
  type DeletionPlan,
  deletableKinds,
  type RetentionState,
} from '../../../../src-preload/contract/retention.ts'
import { StudioError } from '../../../core/errors.ts'
import type { Parts } from '../dependencies.ts'
import { openDataDir } from '../folder.ts'
import { exitCodes, printJson, say, sayTable } from '../output.ts'
import { listenForInterrupt } from '../signals.ts'

export interface EraseOptions {
  what: readonly DeletableKind[]
  olderThan: number
  archivedOnly: boolean
  yes: boolean
  dataDir?: string
  json: boolean
}

const names: Record<DeletableKind, string> = {
  conversations: 'Conversations',
  bodies: 'Stored bodies',
  log: 'Request log',
  alerts: 'Alerts',
  speech: 'Speech',
  recordings: 'Recordings',
  images: 'Images',
}

/**
 * `erase`: deletes data by age permanently, after showing the counts and asking for confirmation.
 * @throws StudioError `folder_in_use` while a studio uses the folder
 */
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
      else say('Nothing to delete.')
      return exitCodes.ok
    }
    if (!options.yes && !(await interrupt.or(ask(plan)))) {
      say('Nothing was deleted.')
      return exitCodes.failed
    }
    return report(plan, await data.erase(plan), json)
  } finally {
    interrupt.release()
    await data.close()
  }
}

function report({ before }: DeletionPlan, last: RetentionState['last'], json: boolean): number {
  if (last?.problem) throw new StudioError(last.problem.kind, last.problem.message)
  const erased = last?.parts ?? []
  const stopped = last?.stopped ?? false
  if (json) printJson({ before, stopped, erased })
  else {
    const count = erased.reduce((sum, { items }) => sum + items, 0)
    say(stopped ? `Stopped after deleting ${count} items.` : `Deleted ${count} items permanently.`)
  }
  return stopped ? exitCodes.failed : exitCodes.ok
}

/** Asks for confirmation. @throws StudioError `bad_input` without a terminal */
async function ask({ before }: DeletionPlan): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new StudioError('bad_input', `Add --yes to delete this data from before ${before} permanently.`)
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test(
      (await terminal.question(`Delete this data from before ${before} permanently? (yes/no) `)).trim(),
    )
  } finally {
    terminal.close()
  }
}

/** Parses `--what`. @throws StudioError `bad_input` */
export function readErasables(text: string): DeletableKind[] {
  const asked = text.split(',').map((one) => one.trim())
  const wrong = asked.find((one) => !deletableKinds.some((known) => known === one))
  if (wrong !== undefined) {
    throw new StudioError('bad_input', `“${wrong}” is not one of ${deletableKinds.join(', ')}.`)
  }
  return deletableKinds.filter((one) => asked.includes(one))
}
