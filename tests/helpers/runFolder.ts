import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const gigabyte = 1024 ** 3

/**
 * A new folder for the temporary files. It is in memory where Linux has room for that, because thousands of small databases on a disk cost a
 * quarter more time. The long tests write too much for that, and use the disk.
 */
function newFolder(): string {
  const memory = '/dev/shm'
  if (!process.env.TMPDIR && process.env.STUDIO_TESTS !== 'long' && existsSync(memory)) {
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize > 4 * gigabyte) {
      const folder = mkdtempSync(join(memory, 'st-'))
      // Containers often forbid to run programs there, and tests do so.
      const script = join(folder, 'script')
      writeFileSync(script, '#!/bin/sh\nexit 0\n', { mode: 0o755 })
      const { status } = spawnSync(script)
      rmSync(script)
      if (status === 0) return folder
      rmSync(folder, { recursive: true })
    }
  }
  return mkdtempSync(join(tmpdir(), 'st-'))
}

/**
 * Puts all temporary files of a run into one folder, which is deleted at the end. A test file that left a folder of ours there fails the run.
 * The path is short, because sockets in it have at most 107 bytes of path.
 */
export default function setup(): (() => void) | undefined {
  // Each project of the run calls this.
  if (process.env.STUDIO_RUN_FOLDER !== undefined) return undefined
  const folder = newFolder()
  // Tests also start programs as another user.
  chmodSync(folder, 0o755)
  process.env.STUDIO_RUN_FOLDER = folder
  process.env.TMPDIR = folder
  // Windows reads this one.
  if (process.platform === 'win32') process.env.TEMP = folder
  return () => {
    // `inference-studio-UID` belongs to the user: the locks for installing and building are sockets in it.
    const left = readdirSync(folder).filter(
      (name) => /^(studio|inference-studio|upstream|window)-/.test(name) && !/^inference-studio-\d+$/.test(name),
    )
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    if (left.length > 0) {
      const some = left.slice(0, 10).join(', ')
      throw new Error(`Tests left ${left.length} folders behind (see tests/helpers/folders.ts): ${some}`)
    }
  }
}
