import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Whether a file in the folder or its folders contains the text, as UTF-8. */
export const isOnDisk = (folder: string, text: string): boolean =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).some(
    (entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text),
  )
