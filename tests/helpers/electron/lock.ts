import { mkdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * One process a folder, as Chromium's singleton: true for the first, which hears of the later ones; a lock whose owner has
 * died is taken over.
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
      // Two events tell of one file: the second finds it read and removed.
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
