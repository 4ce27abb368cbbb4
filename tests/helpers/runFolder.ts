import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Puts all temporary files of a run into one folder, which is deleted at the end. A test file that left a folder of ours there fails the run.
 * The path is short, because sockets in it have at most 107 bytes of path.
 */
export default function setup(): (() => void) | undefined {
  // Each project of the run calls this.
  if (process.env.STUDIO_RUN_FOLDER !== undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'st-'))
  // Tests also start programs as another user.
  chmodSync(folder, 0o755)
  process.env.STUDIO_RUN_FOLDER = folder
  process.env.TMPDIR = folder
  return () => {
    // `inference-studio-UID` belongs to the user: the locks for installing and building are sockets in it.
    const left = readdirSync(folder).filter(
      (name) => /^(studio|inference-studio|upstream|window)-/.test(name) && !/^inference-studio-\d+$/.test(name),
    )
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    if (left.length > 0) throw new Error(`Tests left folders behind (see tests/helpers/folders.ts): ${left.join(', ')}`)
  }
}
