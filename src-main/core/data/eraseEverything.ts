import { readFileSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { StudioError } from '../errors.ts'
import type { SecretStore } from '../host.ts'
import { isRealFolder, realNamesIn, removeOwnFiles, sweepTemporary } from '../shared/ownFiles.ts'
import { forgetRetentionClock } from '../store/retentionClock.ts'
import { parseJson } from '../store/rows.ts'
import { databases, isCopiedFile, sideFiles } from './databases.ts'
import { stampForm, toDisk, writeJson } from './disk.ts'
import { forgetNote } from './recovery/damageNote.ts'
import { dropSteps } from './restore/swap.ts'

/**
 * The remaining deletions. Written before the first deletion and deleted after the last one, so that a kill at any moment loses no step.
 */
const order = z.object({
  at: z.string(),
  /** Keychain accounts of this folder. The databases that name them are deleted first. */
  accounts: z.array(z.string()),
  /** The files are deleted, so new ones belong to the new start. Only the keychain remains. */
  areFilesGone: z.boolean(),
})

const orderFile = (dataDir: string): string => join(dataDir, 'studio.erase.json')

function readOrder(dataDir: string): z.infer<typeof order> | null {
  try {
    return order.safeParse(parseJson(readFileSync(orderFile(dataDir), 'utf8'))).data ?? null
  } catch {
    return null
  }
}

/**
 * Orders the deletion of all data and keys at the next start.
 * @param accounts keychain accounts of this folder
 * @throws StudioError `keychain_locked` when keys would be left behind; then nothing is deleted
 */
export async function orderErasure(dataDir: string, secrets: SecretStore, accounts: readonly string[]): Promise<void> {
  if (accounts.length > 0) {
    const { available, reason } = await secrets.probe()
    if (!available) {
      throw new StudioError('keychain_locked', `The keys can't be deleted, so nothing was. ${reason ?? ''}`.trim())
    }
  }
  writeJson(orderFile(dataDir), { at: new Date().toISOString(), accounts: [...accounts], areFilesGone: false })
}

/** What the connected programs had in their files before, by connection. */
const undoName = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.(?:json|original)$/

/**
 * Deletes the data that `orderErasure` ordered. Call at the start, before any file is opened. Only names that this program creates are deleted,
 * and no link is followed. The folder stays this program's.
 */
export function eraseOrdered(dataDir: string): void {
  const given = readOrder(dataDir)
  if (given === null || given.areFilesGone) return
  dropSteps(dataDir)
  for (const { file } of databases)
    for (const name of [file, ...sideFiles(file), `${file}-journal`]) rmSync(join(dataDir, name), { force: true })
  for (const name of ['media', 'making']) removeOwnFiles(join(dataDir, name), (path) => isCopiedFile(`${name}/${path}`))
  removeOwnFiles(join(dataDir, 'programs'), (path) => undoName.test(path))
  for (const kind of ['damaged', 'replaced']) eraseAside(join(dataDir, kind))
  sweepTemporary(dataDir)
  forgetNote(dataDir)
  forgetRetentionClock(dataDir)
  toDisk(dataDir)
  writeJson(orderFile(dataDir), { ...given, areFilesGone: true })
}

/** Deletes the folders that were set aside, which are named by their time. */
function eraseAside(folder: string): void {
  for (const name of realNamesIn(folder)) {
    if (stampForm.test(name)) rmSync(join(folder, name), { recursive: true, force: true })
  }
  if (isRealFolder(folder) && realNamesIn(folder).length === 0) rmdirSync(folder)
}

/** Deletes the keys that `orderErasure` named. A keychain that fails is tried again at the next start. */
export async function eraseKeys(
  dataDir: string,
  secrets: SecretStore,
  log: (level: 'info' | 'warn', line: string) => void,
): Promise<void> {
  const given = readOrder(dataDir)
  if (given === null) return
  try {
    for (const account of given.accounts) await secrets.delete(account)
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    log('warn', `All data was deleted, but not all keys: ${why} The next start tries again.`)
    return
  }
  rmSync(orderFile(dataDir), { force: true })
  log('info', 'All data was deleted on request.')
}
