import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { StudioError } from '../errors.ts'
import { diskProblem } from '../shared/diskProblem.ts'
import { accountDatabase } from './account/schema.ts'
import { studioDatabase } from './database.ts'
import { makePrivate } from './privateFolder.ts'
import { bodyDatabase, requestLogDatabase } from './requestLog/schema.ts'
import { parseJson } from './rows.ts'

/** The marker file of our folders. Written before any other file. */
export const markerName = 'studio.folder.json'
const application = 'inference-studio'
const marker = {
  application,
  about:
    'Inference Studio uses this folder for its data. Leave this file here: it marks the folder as one of the program’s.',
}

/** Folders from before the marker existed are recognized by their databases. */
const applicationIds: Readonly<Record<string, number>> = {
  'studio.sqlite': studioDatabase.applicationId,
  'ledger.sqlite': requestLogDatabase.applicationId,
  'bodies.sqlite': bodyDatabase.applicationId,
  'account.sqlite': accountDatabase.applicationId,
}

/** Names that operating systems create in folders, in lower case. A folder with only these still counts as empty. */
const systemNames: ReadonlySet<string> = new Set([
  ...['.ds_store', '.localized', '.apdisk', '.fseventsd', '.spotlight-v100', '.temporaryitems', '.trashes'],
  ...['desktop.ini', 'thumbs.db', 'ehthumbs.db', '$recycle.bin', 'system volume information'],
  ...['lost+found', '.directory'],
])
const systemPattern = /^(?:\.trash-\d+|\._.*|\.nfs[\da-f]+)$/

/** Files of a start that was killed before its first database had its name, in this version and earlier ones. */
const startedNames =
  /^(?:studio\.(?:lock|owner\.json)|studio\.folder\.json\.[\da-f]{8}\.new|(?:studio|ledger|bodies|account)\.sqlite\.new-\d+(?:-journal)?)$/

/** `new`: nothing exists at the path. `empty`: it may become ours. `ours`: it has our marker or one of our databases. */
export type FolderState = 'new' | 'empty' | 'ours'

/**
 * Checks whether a folder may be used for our data. Changes nothing.
 * @throws StudioError `bad_input` for a folder with other content, for a file, an empty name, the root folder and the home folder;
 *    `not_writable` when the folder can't be read
 */
export function inspectFolder(dataDir: string): FolderState {
  if (dataDir.trim() === '') {
    throw new StudioError('bad_input', 'The name of the data folder is empty. Name a folder.')
  }
  const folder = resolve(dataDir)
  if (dirname(realPathOf(folder)) === realPathOf(folder)) throw cantOwn(folder, 'the root folder')
  const facts = statOf(folder)
  if (facts === null) {
    refuseHome(folder)
    return 'new'
  }
  if (!facts.isDirectory()) {
    throw new StudioError('bad_input', `${folder} is not a folder, so it can't be the data folder. Choose a folder.`)
  }
  const names = namesOf(folder)
  // In this order, because a process that claims the folder at this moment writes the marker before any other file.
  if (names.includes(markerName) && isMarker(join(folder, markerName))) return 'ours'
  if (names.some((name) => isOurDatabase(folder, name))) return 'ours'
  const foreign = names.find((name) => !isNothing(folder, name))
  if (foreign !== undefined) {
    const message = `${folder} contains files of other programs (such as ${foreign}), so it can't be the data folder. Nothing in it was changed. Name an empty or a new folder.`
    throw new StudioError('bad_input', message)
  }
  refuseHome(folder)
  return 'empty'
}

/**
 * Makes a folder ours, and everything in it accessible to its owner only. Creates it when it does not exist. Safe to repeat after a kill at any
 * moment, and in several processes at once.
 * @returns its absolute path
 * @throws StudioError as `inspectFolder` and `makePrivate`, and `disk_full`, `not_writable` when it can't be created or written
 */
export function claimFolder(dataDir: string): string {
  const folder = resolve(dataDir)
  if (inspectFolder(dataDir) === 'new') {
    try {
      makeFolder(folder)
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown)
      const message = `The data folder can't be created: ${why}`
      throw new StudioError(diskProblem(thrown, folder)?.kind ?? 'bad_input', message, {}, { cause: thrown })
    }
    // Another process may have created the folder first.
    inspectFolder(folder)
  }
  try {
    makePrivate(folder)
  } catch (thrown) {
    throw cantUse(folder, thrown)
  }
  const file = join(folder, markerName)
  if (!isMarker(file)) writeMarker(folder, file)
  return folder
}

function statOf(folder: string): Stats | null {
  try {
    const facts = statSync(folder, { throwIfNoEntry: false })
    if (facts) return facts
    if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new StudioError('bad_input', `${folder} is a link to a folder that does not exist. Name another folder.`)
    }
    // Another process may have created the folder since lstat.
    return statSync(folder, { throwIfNoEntry: false }) ?? null
  } catch (thrown) {
    throw cantUse(folder, thrown)
  }
}

function namesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (thrown) {
    throw cantUse(folder, thrown)
  }
}

function cantUse(folder: string, thrown: unknown): StudioError {
  if (thrown instanceof StudioError) return thrown
  const known = diskProblem(thrown, `The data folder ${folder}`)
  if (known) return known
  const why = thrown instanceof Error ? thrown.message : String(thrown)
  return new StudioError('bad_input', `${folder} can't be the data folder: ${why}`, {}, { cause: thrown })
}

/** The home folder is refused even when it is empty, because other programs will put files there. */
function refuseHome(folder: string): void {
  if (realPathOf(folder) === realPathOf(homedir())) throw cantOwn(folder, 'your home folder')
}

const cantOwn = (folder: string, which: string): StudioError =>
  new StudioError('bad_input', `${folder} is ${which}, so it can't be the data folder. Name a folder inside it.`)

function realPathOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return resolve(folder)
  }
}

function isMarker(file: string): boolean {
  try {
    const facts = lstatSync(file)
    if (!facts.isFile() || facts.size > 4096) return false
    const document = parseJson(readFileSync(file, 'utf8'))
    return (
      typeof document === 'object' &&
      document !== null &&
      'application' in document &&
      document.application === application
    )
  } catch (thrown) {
    return refuseUnread(thrown, file)
  }
}

function isOurDatabase(folder: string, name: string): boolean {
  const id = applicationIds[name]
  if (id === undefined) return false
  const path = join(folder, name)
  try {
    // Opening a named pipe would wait for a writer.
    if (!statSync(path).isFile()) return false
    const address = pathToFileURL(path)
    // Creates no log and no lock beside the file.
    address.search = 'immutable=1'
    const handle = new DatabaseSync(address, { readOnly: true })
    try {
      return handle.prepare('PRAGMA application_id').get()?.application_id === id
    } finally {
      handle.close()
    }
  } catch (thrown) {
    return refuseUnread(thrown, path)
  }
}

/**
 * Returns false for a file that does not exist or is not ours.
 * @throws StudioError as `diskProblem` for a file that can't be read, because it may be ours
 */
function refuseUnread(thrown: unknown, file: string): false {
  const known = diskProblem(thrown, file, file)
  if (known) throw known
  return false
}

function isNothing(folder: string, name: string): boolean {
  const known = name.toLowerCase()
  if (systemNames.has(known) || systemPattern.test(known)) return true
  if (!startedNames.test(name)) return false
  const facts = lstatSync(join(folder, name), { throwIfNoEntry: false })
  // Our lock file is always empty.
  return facts === undefined || (facts.isFile() && (name !== 'studio.lock' || facts.size === 0))
}

/**
 * Creates one folder at a time. Node's recursive mkdir never returns when a parent accepts no folders but reports that it does not exist
 * (/proc).
 */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = dirname(folder)
  if (parent !== folder) makeFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (thrown) {
    // Another process may have created it in between.
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown
  }
}

/** Atomic: with a marker that a power cut left empty, the folder would no longer count as ours. */
function writeMarker(folder: string, file: string): void {
  const fresh = `${file}.${randomUUID().slice(0, 8)}.new`
  try {
    writeFileSync(fresh, `${JSON.stringify(marker, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(fresh, file)
    // Windows cannot open a folder. Its file systems journal names by themselves.
    if (process.platform !== 'win32') syncFolder(folder)
  } catch (thrown) {
    rmSync(fresh, { force: true })
    throw cantUse(folder, thrown)
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
