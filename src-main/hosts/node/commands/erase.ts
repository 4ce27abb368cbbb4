import {
  type DeletableKind,
  type DeletionPlan,
  deletableKinds,
  type RetentionState,
} from '../../../../src-preload/contract/retention.ts'
import { t } from '../../../../src-renderer/i18n/cli.ts'
import { StudioError } from '../../../core/errors.ts'
import { confirm } from '../confirm.ts'
import type { Parts } from '../dependencies.ts'
import { failureOf } from '../failure.ts'
import { openDataDir } from '../folder.ts'
import { exitCodes, printJson, say, sayTable, tell } from '../output.ts'
import { ownError, wordsOf } from '../ownWords.ts'
import { type Interrupt, listenForInterrupt } from '../signals.ts'
import { runningStudio } from '../studio.ts'

export interface EraseOptions {
  what: readonly DeletableKind[]
  olderThan: number
  archivedOnly: boolean
  yes: boolean
  dataDir?: string
  json: boolean
}

/**
 * `erase`: deletes data by age permanently, after showing the counts and asking for confirmation.
 * A studio that runs on the folder does it itself.
 */
export async function erase(options: EraseOptions, parts: Parts): Promise<number> {
  const { json } = options
  const data = await openErasing(await openDataDir(options.dataDir), parts)
  const interrupt = listenForInterrupt()
  interrupt.signal.addEventListener('abort', data.stop, { once: true })
  try {
    const plan = await data.count({ ...options, olderThanDays: options.olderThan })
    if (!json) sayTable(plan.parts.map(({ what, items }) => [t(`erase.what.${what}`), String(items)] as const))
    if (plan.parts.every(({ items }) => items === 0)) {
      if (json) printJson({ before: plan.before, erased: plan.parts.map(({ what }) => ({ what, items: 0 })) })
      else say(t('erase.nothing'))
      return exitCodes.ok
    }
    if (!options.yes && !(await ask(plan, json, interrupt))) {
      say(t('erase.notDeleted'))
      return exitCodes.failed
    }
    return report(plan, await data.erase(plan), json)
  } finally {
    interrupt.release()
    await data.close()
  }
}

/** Deletes in the folder, or through the studio that runs on it. @throws StudioError `folder_in_use` for one that can't be reached */
async function openErasing(dataDir: string, parts: Parts): ReturnType<Parts['openErase']> {
  try {
    return await parts.openErase(dataDir)
  } catch (thrown) {
    if (failureOf(thrown).kind !== 'folder_in_use') throw thrown
    const studio = await runningStudio(dataDir)
    if (studio === null) throw thrown
    const { retention } = studio.client
    return {
      count: ({ what, ...selection }) => retention.count({ ...selection, what: [...what] }),
      async erase({ before, archivedOnly, parts: counted }) {
        const deleted = counted.flatMap(({ what, items }) => (items > 0 ? { what, reported: items } : []))
        await retention.start({ before, archivedOnly, parts: deleted })
        for await (const { running, last } of await retention.watch()) if (running === null) return last
        return null
      },
      stop: () => void retention.stop().catch((stopping: unknown) => tell('error', wordsOf(failureOf(stopping)))),
      close: studio.close,
    }
  }
}

function report({ before }: DeletionPlan, last: RetentionState['last'], json: boolean): number {
  if (last?.problem) throw new StudioError(last.problem.kind, last.problem.message)
  const erased = last?.parts ?? []
  const stopped = last?.stopped ?? false
  if (json) printJson({ before, stopped, erased })
  else {
    const count = erased.reduce((sum, { items }) => sum + items, 0)
    say(t(stopped ? 'erase.stopped' : 'erase.deleted', { count }))
  }
  return stopped ? exitCodes.failed : exitCodes.ok
}

const ask = ({ before }: DeletionPlan, json: boolean, interrupt: Interrupt): Promise<boolean> =>
  confirm(
    {
      json,
      question: t('erase.question', { before }),
      without: t('erase.noTerminal', { before }),
    },
    interrupt,
  )

/** Parses `--what`. @throws StudioError `bad_input` */
export function readErasables(text: string): DeletableKind[] {
  const asked = text.split(',').map((one) => one.trim())
  const wrong = asked.find((one) => !deletableKinds.some((known) => known === one))
  if (wrong !== undefined) {
    throw ownError('bad_input', t('erase.unknown', { text: wrong, names: deletableKinds.join(', ') }))
  }
  return deletableKinds.filter((one) => asked.includes(one))
}
