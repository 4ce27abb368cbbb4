import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeJson } from '../disk.ts'

const noteOf = (dataDir: string): string => join(dataDir, 'studio.check')

/** Records that damage was found while the program ran, so that the next start checks every page. */
export function noteDamage(dataDir: string, why: string): void {
  if (!existsSync(noteOf(dataDir))) writeJson(noteOf(dataDir), { at: new Date().toISOString(), why })
}
/** Whether an earlier run has recorded damage. */
export const wasNoted = (dataDir: string): boolean => existsSync(noteOf(dataDir))
export const forgetNote = (dataDir: string): void => rmSync(noteOf(dataDir), { force: true })
