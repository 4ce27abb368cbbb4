import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { backupSummary, damage } from '../../../../src-preload/contract/data.ts'
import { StudioError } from '../../errors.ts'
import { diskProblem } from '../../shared/diskProblem.ts'
import { realNamesIn, removeOwnFiles } from '../../shared/ownFiles.ts'
import { swapFolder } from '../../store/database.ts'
import { forgetRetentionClock } from '../../store/retentionClock.ts'
import { parseJson } from '../../store/rows.ts'
import { databases, isCopiedFile, sideFiles } from '../databases.ts'
import { asDiskError, freeStamp, toDisk, writeJson } from '../disk.ts'

/** Which files replace which, and the report about it. */
const plan = z.object({
  /** When the swap was scheduled. */
  at: z.string(),
  /** Where the former files are moved, relative to the data folder. `''` until the swap begins. */
  aside: z.string().regex(/^(?:(?:damaged|replaced)\/[\dTZ-]+)?$/),
  /** Names to move away, and names (in `new/`) that replace them. */
  leave: z.array(z.string()),
  come: z.array(z.string()),
  report: z.discriminatedUnion('what', [
    z.object({ what: z.literal('restored'), summary: backupSummary }),
    z.object({ what: z.literal('damage'), damage }),
  ]),
})
export type Plan = z.infer<typeof plan>

const planFile = 'plan.json'
/** The names of all data of a person. Everything else in the folder (the lock, `tmp`, files that were set aside) stays in place. */
export const everything: readonly string[] = [
  ...databases.flatMap(({ file }) => [file, ...sideFiles(file)]),
  ...['media', 'making'],
]

// Three folders below the data folder are the steps of a swap. One rename leads from each to the next, so that a killed process always
// leaves exactly one state: `staging` is being filled and is worthless; `waiting` is complete and takes effect at the next start;
// `swapping` has begun and is always completed.
const stagingOf = (dataDir: string): string => join(dataDir, 'staging')
const scheduledFolder = (dataDir: string): string => join(dataDir, 'waiting')
const swappingOf = (dataDir: string): string => join(dataDir, swapFolder)
const discardedOf = (dataDir: string): string => join(dataDir, 'discarded')

/** Whether a path below one of these folders is one that this program creates there. Other files there belong to other programs. */
const isStepFile = (path: string): boolean =>
  path === planFile ||
  path === `${planFile}.new` ||
  path === 'new' ||
  (path.startsWith('new/') && isCopiedFile(path.slice(4)))

const dropDiscarded = (dataDir: string): boolean => removeOwnFiles(discardedOf(dataDir), isStepFile)

/** Checks that a folder was deleted completely. @throws StudioError `bad_input` when its name is needed and files of other programs are in it */
function mustBeGone(isGone: boolean, folder: string): void {
  if (isGone) return
  const message = `${folder} contains files of other programs, and Inference Studio needs that name. Move them elsewhere, then try again.`
  throw new StudioError('bad_input', message)
}

/**
 * Creates an empty staging folder and deletes its former content.
 * @throws StudioError `bad_input` when files of other programs are there
 */
export function freshStaging(dataDir: string): string {
  mustBeGone(dropStaging(dataDir), stagingOf(dataDir))
  const folder = join(stagingOf(dataDir), 'new')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}
/** Deletes the staging folder. Returns false when files of other programs remain. */
export const dropStaging = (dataDir: string): boolean => removeOwnFiles(stagingOf(dataDir), isStepFile)

function writePlan(dataDir: string, given: Plan): void {
  try {
    writeJson(join(stagingOf(dataDir), planFile), given)
  } catch (thrown) {
    dropStaging(dataDir)
    throw asDiskError(thrown)
  }
}

/** Deletes every step of a swap, begun or scheduled. */
export function dropSteps(dataDir: string): void {
  for (const folder of [stagingOf(dataDir), scheduledFolder(dataDir), swappingOf(dataDir), discardedOf(dataDir)])
    removeOwnFiles(folder, isStepFile)
}

/** Schedules the swap of the staged files for the next start. Replaces a swap that was scheduled before. */
export function scheduleSwap(dataDir: string, given: Plan): void {
  writePlan(dataDir, given)
  dropPending(dataDir)
  renameSync(stagingOf(dataDir), scheduledFolder(dataDir))
  toDisk(dataDir)
}

/** A folder of that name without a plan is not ours: the plan is written first and deleted last. */
const isScheduled = (dataDir: string): boolean => existsSync(join(scheduledFolder(dataDir), planFile))

export function pendingPlan(dataDir: string): Plan | null {
  return isScheduled(dataDir) ? readPlan(scheduledFolder(dataDir)) : null
}

/** Cancels the scheduled swap. Returns false when there is none. @throws StudioError `bad_input` when files of other programs are in the way */
export function dropPending(dataDir: string): boolean {
  if (!isScheduled(dataDir)) return false
  // One rename first, so that the process can be killed without leaving half a backup scheduled.
  mustBeGone(dropDiscarded(dataDir), discardedOf(dataDir))
  renameSync(scheduledFolder(dataDir), discardedOf(dataDir))
  toDisk(dataDir)
  dropDiscarded(dataDir)
  return true
}

/**
 * Performs the swap of the staged files at once. The caller owns the folder and no file of it is open. Returns where the former data is,
 * relative to the data folder.
 */
export function swapNow(dataDir: string, given: Plan): string {
  writePlan(dataDir, given)
  renameSync(stagingOf(dataDir), swappingOf(dataDir))
  toDisk(dataDir)
  return finishSwap(dataDir)
}

/**
 * Completes a swap that a killed process began, and performs the scheduled one. Call it at the start, before any file is opened. Whenever
 * the process is killed, the next start finds all of the old data or completes the swap to the new. The former data is moved aside, never
 * overwritten.
 * @returns why a scheduled swap failed; that backup is deleted and nothing is changed
 * @throws StudioError `store_damaged` when a file cannot be moved
 */
export function settleSwaps(dataDir: string): StudioError | null {
  finishSwap(dataDir)
  dropDiscarded(dataDir)
  dropStaging(dataDir)
  if (!isScheduled(dataDir)) return null
  const scheduled = pendingPlan(dataDir)
  if (scheduled === null || !scheduled.come.every((name) => existsSync(join(scheduledFolder(dataDir), 'new', name)))) {
    dropPending(dataDir)
    const message =
      'The backup that was to be restored at this start is damaged, so it was deleted. No data was changed. Restore the backup again.'
    return new StudioError('store_damaged', message)
  }
  renameSync(scheduledFolder(dataDir), swappingOf(dataDir))
  toDisk(dataDir)
  finishSwap(dataDir)
  return null
}

/** Completes a swap. Returns `''` when none had begun. */
function finishSwap(dataDir: string): string {
  const folder = swappingOf(dataDir)
  if (!existsSync(folder)) return ''
  // A process that was killed at the very end left the folder.
  if (realNamesIn(folder).length === 0 && removeOwnFiles(folder, isStepFile)) return ''
  try {
    const begun = readPlan(folder)
    if (begun === null) throw new Error('its plan can’t be read')
    const aside = move(dataDir, folder, begun)
    // The plan is deleted last: without it, no later start could complete the swap.
    removeOwnFiles(join(folder, 'new'), isCopiedFile)
    mustBeGone(removeOwnFiles(folder, isStepFile), folder)
    return aside
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    const message = `The files in ${folder} can't be put in place: ${why}. The next start tries again.`
    throw new StudioError(diskProblem(thrown, folder)?.kind ?? 'store_damaged', message, {}, { cause: thrown })
  }
}

function move(dataDir: string, folder: string, begun: Plan): string {
  const aside = begun.aside === '' ? `replaced/${freeStamp(join(dataDir, 'replaced'), new Date())}` : begun.aside
  // Decided once, because a start that completes the swap must use the same folder.
  const given = { ...begun, aside }
  if (begun.aside === '') writeJson(join(folder, planFile), given)
  const [from, to] = [join(folder, 'new'), join(dataDir, aside)]
  mkdirSync(to, { recursive: true, mode: 0o700 })
  const isPlaced = (name: string): boolean => given.come.includes(name) && !existsSync(join(from, name))
  for (const name of given.leave) {
    // The new file is already in place: an earlier process had moved it.
    if (isPlaced(name) || !existsSync(join(dataDir, name))) continue
    mkdirSync(dirname(join(to, name)), { recursive: true, mode: 0o700 })
    renameSync(join(dataDir, name), join(to, name))
  }
  toDisk(to)
  toDisk(dataDir)
  for (const name of given.come) {
    if (!isPlaced(name)) renameSync(join(from, name), join(dataDir, name))
  }
  // What the backup brings back is old, and its return is new: it stays as long as if it was deleted now.
  if (given.report.what === 'restored') forgetRetentionClock(dataDir)
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

/** Null when this program did not write the file. */
function readPlan(folder: string): Plan | null {
  try {
    return plan.safeParse(parseJson(readFileSync(join(folder, planFile), 'utf8'))).data ?? null
  } catch {
    return null
  }
}
