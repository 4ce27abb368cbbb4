import { mkdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Allows one process for each folder, like Chromium's singleton. Returns true for the first process, whose `heard` gets the arguments of later
 * ones. A lock of a dead process is taken over.
 */
export function takeSingleInstance(folder: string, heard: (argv: string[], cwd: string) => void): boolean {
  mkdirSync(folder, { recursive: true })
  const lock = join(folder, 'SingletonLock')
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch {
      const owner = Number(readFileSync(lock, 'utf8'))
      if (alive(owner)) {
        const call = join(folder, `Singleton.${process.pid}`)
        writeFileSync(`${call}.new`, JSON.stringify({ argv: process.argv, cwd: process.cwd() }))
        renameSync(`${call}.new`, call)
        return false
      }
      rmSync(lock, { force: true })
    }
  }
  process.once('exit', () => rmSync(lock, { force: true }))
  watch(folder, { persistent: false }, (_kind, name) => {
    if (!name || !/^Singleton\.\d+$/.test(name)) return
    const call = join(folder, name)
    try {
      const { argv, cwd } = JSON.parse(readFileSync(call, 'utf8'))
      rmSync(call)
      heard(argv, cwd)
    } catch {
      // One file can cause two events. At the second one it is already deleted.
    }
  })
  return true
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
