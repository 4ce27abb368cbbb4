import { chmodSync, lstatSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { StudioError } from '../errors.ts'
import { codeOf } from '../shared/diskProblem.ts'

/** The bits of a mode that give other users any access. Windows has access lists in their place: a profile belongs to its user alone. */
const othersBits = 0o077
const hasModes = process.platform !== 'win32'

/**
 * Makes a data folder and everything in it accessible to this user only: folders 0700, files 0600. Closes the folder itself first. A folder
 * inside that is closed already is not read, so a normal start looks at the top level alone. Symbolic links and their targets stay.
 * @throws StudioError `bad_input` for a folder of another user, who could read and change everything in it
 */
export function makePrivate(folder: string): void {
  if (!hasModes) return
  const { uid, mode } = statSync(folder)
  if (uid !== process.geteuid?.()) throw new StudioError('bad_input', ownerFault(folder, uid))
  close(folder, mode)
  for (const name of namesIn(folder)) closeTree(join(folder, name))
}

/** Why a folder of the user `uid` can't be the data folder, and what to do. */
function ownerFault(folder: string, uid: number): string {
  if (hasNoOwners(folder)) {
    return `${folder} is on a disk without permissions for single users, and all of that disk belongs to the user ID ${uid} here, so it can't be your data folder. Choose a folder on another disk.`
  }
  const fault = `${folder} belongs to another user of this computer (user ID ${uid}), who could read and change everything in it, so it can't be your data folder.`
  if (process.geteuid?.() === 0) return `${fault} Start Inference Studio as that user, or choose another folder.`
  // Root's folders are mostly those of an earlier start with sudo, or of a container.
  if (uid === 0) return `${fault} Make it yours with "sudo chown -R $USER ${shellWord(folder)}", or choose another one.`
  return `${fault} Choose a folder of your own, or start Inference Studio as that user.`
}

const shellWord = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Types of file systems that give all of their files the owner who was named when they were mounted. @see statfs(2) */
const ownerless = new Set([
  0x4d_44, // FAT
  0x20_11_ba_b0, // exFAT
  0x53_46_54_4e, // NTFS
  0x73_66_74_6e, // NTFS since Linux 5.15
  0xff_53_4d_42, // CIFS
  0xfe_53_4d_42, // SMB 2
])

/** The numbers are those of Linux, which has them as signed numbers on some processors. */
function hasNoOwners(folder: string): boolean {
  return process.platform === 'linux' && ownerless.has(statfsSync(folder).type >>> 0)
}

/**
 * Why other users of this computer can open a data folder although `makePrivate` tried to prevent it, as a sentence; null when they can't.
 * File systems such as FAT have one mode for all files, which nobody can change.
 */
export function privacyFault(folder: string): string | null {
  const facts = hasModes ? statSync(folder, { throwIfNoEntry: false }) : undefined
  if (!facts || (facts.mode & othersBits) === 0) return null
  return `Other users of this computer can open the data folder ${folder}, because its disk has no permissions for single users. Move it to another disk.`
}

/** Closes a folder after its content, so that a killed start continues where it stopped. */
function closeTree(path: string): void {
  const facts = lstatSync(path, { throwIfNoEntry: false })
  if (!facts || facts.isSymbolicLink() || (facts.mode & othersBits) === 0) return
  if (facts.isDirectory()) for (const name of namesIn(path)) closeTree(join(path, name))
  close(path, facts.mode)
}

/** Changes the mode without opening the file: closing a descriptor would drop the locks that SQLite holds on the file in this process. */
function close(path: string, mode: number): void {
  if ((mode & othersBits) === 0) return
  try {
    chmodSync(path, mode & 0o700)
  } catch (thrown) {
    // The entry is gone, belongs to another user, or is on a disk without modes (`privacyFault` reports that). The folder around it is closed.
    if (!['ENOENT', 'EPERM', 'EROFS', 'ENOTSUP'].includes(codeOf(thrown) ?? '')) throw thrown
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (thrown) {
    // The folder is gone, or is one of another user.
    if (['ENOENT', 'EACCES'].includes(codeOf(thrown) ?? '')) return []
    throw thrown
  }
}
