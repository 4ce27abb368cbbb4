import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders = new Set<string>()

/** Creates an empty folder, which is deleted after the test file, also when a test fails. Outside of a test run: at the end of the process. */
export function temporaryFolder(prefix = 'studio-'): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  folders.add(folder)
  return folder
}

/** Deletes the folders of the test file that has ended. */
export function removeTemporaryFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  folders.clear()
}

process.once('exit', removeTemporaryFolders)
