import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { backupSummary, damage } from '../../../../src-preload/contract/data.ts'
import { StudioError } from '../../errors.ts'
import { diskProblem } from '../../shared/diskProblem.ts'
import { realNamesIn, removeOwnFiles } from '../../shared/ownFiles.ts'
import { swapFolder } from '../../store/database.ts'
import { parseJson } from '../../store/rows.ts'
import { databases, isCopiedFile, sideFiles } from '../databases.ts'
import { asDiskError, freeStamp, toDisk, writeJson } from '../disk.ts'

/** What takes the place of what, and what is told of it afterwards. */
const plan = z.object({
  /** When it was laid ready. */
  at: z.string(),
  /** Under the data folder: where what was here goes. `''` until the swap begins. */
  aside: z.string().regex(/^(?:(?:damaged|replaced)\/[\dTZ-]+)?$/),
  /** Names that go away, and names (of `new/`) that take their places. */
  leave: z.array(z.string()),
  come: z.array(z.string()),
  report: z.discriminatedUnion('what', [
    z.object({ what: z.literal('restored'), summary: backupSummary }),
    z.object({ what: z.literal('damage'), damage }),
  ]),
})
export type Plan = z.infer<typeof plan>

const planFile = 'plan.json'
/** Everything that makes up a person's data. What else lies in the folder (the lock, `tmp`, what was set aside) stays where it is. */
export const everything: readonly string[] = [
  ...databases.flatMap(({ file }) => [file, ...sideFiles(file)]),
  ...['media', 'making'],
]

// Three folders under the data folder, each a step on from the one before by one rename, so that a death of the process leaves the one or the other:
// `staging` is being filled and worth nothing; `waiting` is whole and takes effect at the next start; `swapping` has begun and is always ended.
const stagingOf = (dataDir: string): string => join(dataDir, 'staging')
const waitingOf = (dataDir: string): string => join(dataDir, 'waiting')
const swappingOf = (dataDir: string): string => join(dataDir, swapFolder)
const discardedOf = (dataDir: string): string => join(dataDir, 'discarded')

/** Whether a path below one of these folders is one that this program makes there. Everything else there is somebody's own. */
const isStepFile = (path: string): boolean =>
  path === planFile ||
  path === `${planFile}.new` ||
  path === 'new' ||
  (path.startsWith('new/') && isCopiedFile(path.slice(4)))

const dropDiscarded = (dataDir: string): boolean => removeOwnFiles(discardedOf(dataDir), isStepFile)

/** @throws StudioError `bad_input`: the name is needed, and what lies there is not ours to delete */
function mustBeGone(isGone: boolean, folder: string): void {
  if (isGone) return
  const words = `${folder} holds files that Inference Studio did not put there, and it needs that name. Move them elsewhere, then try again.`
  throw new StudioError('bad_input', words)
}

/** A place for the new files. What was being filled there before is gone. @throws StudioError `bad_input` where files of others are there */
export function freshStaging(dataDir: string): string {
  mustBeGone(dropStaging(dataDir), stagingOf(dataDir))
  const folder = join(stagingOf(dataDir), 'new')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}
/** False where files of others are left there. */
export const dropStaging = (dataDir: string): boolean => removeOwnFiles(stagingOf(dataDir), isStepFile)

function writePlan(dataDir: string, given: Plan): void {
  try {
    writeJson(join(stagingOf(dataDir), planFile), given)
  } catch (thrown) {
    dropStaging(dataDir)
    throw asDiskError(thrown)
  }
}

/** What was staged waits from now on for the next start; what waited before is gone. */
export function scheduleSwap(dataDir: string, given: Plan): void {
  writePlan(dataDir, given)
  dropPending(dataDir)
  renameSync(stagingOf(dataDir), waitingOf(dataDir))
  toDisk(dataDir)
}

/** A folder of that name without a plan is none of ours: the plan is written first, and goes last. */
const isWaiting = (dataDir: string): boolean => existsSync(join(waitingOf(dataDir), planFile))

export function pendingPlan(dataDir: string): Plan | null {
  return isWaiting(dataDir) ? readPlan(waitingOf(dataDir)) : null
}

/** False where nothing waits. @throws StudioError `bad_input` where files of others are in the way */
export function dropPending(dataDir: string): boolean {
  if (!isWaiting(dataDir)) return false
  // Out of the way by one rename first: half a backup must never wait.
  mustBeGone(dropDiscarded(dataDir), discardedOf(dataDir))
  renameSync(waitingOf(dataDir), discardedOf(dataDir))
  toDisk(dataDir)
  dropDiscarded(dataDir)
  return true
}

/** Puts in place what was staged, now; answers where what was here lies, under the data folder. The caller owns the folder and nobody has a file of it open. */
export function swapNow(dataDir: string, given: Plan): string {
  writePlan(dataDir, given)
  renameSync(stagingOf(dataDir), swappingOf(dataDir))
  toDisk(dataDir)
  return finishSwap(dataDir)
}

/**
 * At the start, before any file is opened: ends a swap that a killed process began, and makes the one that waits. Whenever the process dies, the next start finds
 * all of the old or goes on to all of the new; what was here is moved aside, never overwritten.
 * Answers what kept a waiting backup from it: that one is thrown away, and everything is as it was. @throws StudioError `store_damaged` where a file can't be moved
 */
export function settleSwaps(dataDir: string): StudioError | null {
  finishSwap(dataDir)
  dropDiscarded(dataDir)
  dropStaging(dataDir)
  if (!isWaiting(dataDir)) return null
  const waiting = pendingPlan(dataDir)
  if (waiting === null || !waiting.come.every((name) => existsSync(join(waitingOf(dataDir), 'new', name)))) {
    dropPending(dataDir)
    const words =
      'The backup that waited for this start was damaged on the disk, so it was thrown away. Everything is as it was; restore it again.'
    return new StudioError('store_damaged', words)
  }
  renameSync(waitingOf(dataDir), swappingOf(dataDir))
  toDisk(dataDir)
  finishSwap(dataDir)
  return null
}

/** `''` where none had begun. */
function finishSwap(dataDir: string): string {
  const folder = swappingOf(dataDir)
  if (!existsSync(folder)) return ''
  // A process that was killed at the very end left it.
  if (realNamesIn(folder).length === 0 && removeOwnFiles(folder, isStepFile)) return ''
  try {
    const begun = readPlan(folder)
    if (begun === null) throw new Error('its plan can’t be read')
    const aside = move(dataDir, folder, begun)
    // The plan last: without it, nobody could go on with what is left.
    removeOwnFiles(join(folder, 'new'), isCopiedFile)
    mustBeGone(removeOwnFiles(folder, isStepFile), folder)
    return aside
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    const words = `What was laid ready in ${folder} can't be put in place: ${why}. It is tried again at the next start.`
    throw new StudioError(diskProblem(thrown, folder)?.kind ?? 'store_damaged', words, {}, { cause: thrown })
  }
}

function move(dataDir: string, folder: string, begun: Plan): string {
  const aside = begun.aside === '' ? `replaced/${freeStamp(join(dataDir, 'replaced'), new Date())}` : begun.aside
  // Decided once: who goes on after a death must find the same place.
  const given = { ...begun, aside }
  if (begun.aside === '') writeJson(join(folder, planFile), given)
  const [from, to] = [join(folder, 'new'), join(dataDir, aside)]
  mkdirSync(to, { recursive: true, mode: 0o700 })
  const isPlaced = (name: string): boolean => given.come.includes(name) && !existsSync(join(from, name))
  for (const name of given.leave) {
    // What is here is the new one already: an earlier process came that far.
    if (isPlaced(name) || !existsSync(join(dataDir, name))) continue
    mkdirSync(dirname(join(to, name)), { recursive: true, mode: 0o700 })
    renameSync(join(dataDir, name), join(to, name))
  }
  toDisk(to)
  toDisk(dataDir)
  for (const name of given.come) {
    if (!isPlaced(name)) renameSync(join(from, name), join(dataDir, name))
  }
  writeReport(to, given)
  toDisk(dataDir)
  return aside
}

function writeReport(to: string, { report }: Plan): void {
  const [name, value] =
    report.what === 'damage'
      ? [`${report.damage.database}.json`, report.damage]
      : ['restored.json', { at: new Date().toISOString(), summary: report.summary, acknowledged: false }]
  if (!existsSync(join(to, name))) writeJson(join(to, name), value)
}

/** Null where it says nothing that this program has written. */
function readPlan(folder: string): Plan | null {
  try {
    return plan.safeParse(parseJson(readFileSync(join(folder, planFile), 'utf8'))).data ?? null
  } catch {
    return null
  }
}
