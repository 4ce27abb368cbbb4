import { once } from 'node:events'
import fs, {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { onFolder } from '../../../src-main/core/data/opening/openFolder.ts'
import { claimFolder, markerName } from '../../../src-main/core/store/dataFolder.ts'
import { folderUser, lockFolder } from '../../../src-main/core/store/lock.ts'
import { makePrivate, privacyFault } from '../../../src-main/core/store/privateFolder.ts'
import { openStore } from '../../../src-main/core/store/store.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { asOtherUser, canBeOtherUser } from '../../helpers/otherUser.ts'

const modeOf = (path: string): number => lstatSync(path).mode & 0o777

/** The entries below a folder that other users can use, as `name mode`. */
const openIn = (folder: string): string[] =>
  [folder, ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))]
    .filter((path) => !lstatSync(path).isSymbolicLink() && (modeOf(path) & 0o077) !== 0)
    .map((path) => `${path.slice(folder.length)} ${modeOf(path).toString(8)}`)

/** A folder that an earlier version left open: with a store whose log and index exist, media, and the lock file that SQLite created. */
function openFolder(): { dataDir: string; outside: string } {
  const root = temporaryFolder('studio-private-')
  const dataDir = join(root, 'data')
  const outside = join(root, 'outside')
  claimFolder(dataDir)
  const store = openStore(dataDir)
  onTestFinished(() => store.close())
  for (const name of ['media', 'media/deep', 'desktop']) mkdirSync(join(dataDir, name))
  for (const name of ['media/one.wav', 'media/deep/two.wav', 'desktop/theme', 'studio.lock', 'studio.owner.json'])
    writeFileSync(join(dataDir, name), '')
  writeFileSync(outside, 'not ours')
  symlinkSync(outside, join(dataDir, 'media', 'link'))
  for (const name of ['', ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' })]) {
    const path = join(dataDir, name)
    if (!lstatSync(path).isSymbolicLink()) chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644)
  }
  chmodSync(outside, 0o644)
  return { dataDir, outside }
}

describe.runIf(process.platform !== 'win32')('a data folder', () => {
  it('that exists is closed to other users with everything in it: databases, logs, media, locks', () => {
    const { dataDir, outside } = openFolder()
    expect(openIn(dataDir).length).toBeGreaterThan(12)
    expect(existsSync(join(dataDir, 'studio.sqlite-wal'))).toBe(true)
    claimFolder(dataDir)
    expect(openIn(dataDir)).toEqual([])
    expect([modeOf(dataDir), modeOf(join(dataDir, 'media', 'deep')), modeOf(join(dataDir, markerName))]).toEqual([
      0o700, 0o700, 0o600,
    ])
    // A link leads out of the folder, to something that is not this program's.
    expect(modeOf(outside)).toBe(0o644)
  })

  it('keeps bits of its owner, and closes a socket', async () => {
    const dataDir = join(temporaryFolder('studio-private-'), 'data')
    claimFolder(dataDir)
    const server = createServer().listen(join(dataDir, 'socket'))
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    writeFileSync(join(dataDir, 'program'), '')
    chmodSync(join(dataDir, 'program'), 0o555)
    chmodSync(join(dataDir, 'socket'), 0o777)
    claimFolder(dataDir)
    expect([modeOf(join(dataDir, 'program')), modeOf(join(dataDir, 'socket'))]).toEqual([0o500, 0o700])
  })

  it('that is new has nothing open, whatever the umask', () => {
    const before = process.umask(0)
    onTestFinished(() => void process.umask(before))
    const dataDir = join(temporaryFolder('studio-private-'), 'data')
    const lock = lockFolder(dataDir)
    const store = openStore(dataDir)
    expect(existsSync(join(dataDir, 'studio.lock'))).toBe(true)
    expect(openIn(dataDir)).toEqual([])
    store.close()
    lock.release()
  })

  it('that stays open is reported in words', async () => {
    const dataDir = join(temporaryFolder('studio-private-'), 'data')
    claimFolder(dataDir)
    expect(privacyFault(dataDir)).toBe(null)
    expect(privacyFault(join(dataDir, 'none'))).toBe(null)
    chmodSync(dataDir, 0o755)
    expect(privacyFault(dataDir)).toMatch(/^Other users of this computer can open the data folder .* Move it/)
  })

  it('whose lock another process holds without a note: the message says what to do, and that works', async () => {
    const { dataDir } = openFolder()
    rmSync(join(dataDir, 'studio.owner.json'))
    // In place of another process: SQLite's locks of two handles exclude each other in one process, too.
    const lock = lockFolder(dataDir)
    rmSync(join(dataDir, 'studio.owner.json'))
    const words = /holds a lock on .*studio\.lock.*delete that file/
    expect(() => lockFolder(dataDir)).toThrow(
      expect.objectContaining({ kind: 'folder_in_use', message: expect.stringMatching(words) }),
    )
    expect(folderUser(dataDir)?.message).toMatch(words)
    rmSync(join(dataDir, 'studio.lock'))
    lockFolder(dataDir).release()
    lock.abandon()
  })
})

describe.runIf(process.platform === 'linux')('a folder of another user', () => {
  /** The message about a folder of the user `uid` for the user `own`, on a disk of this type. Default: ext4. */
  function faultOf(name: string, { own, uid, type = 0xef53 }: { own: number; uid: number; type?: number }): string {
    const dataDir = join(temporaryFolder('studio-private-'), name)
    claimFolder(dataDir)
    const spies = [
      vi.spyOn(process as { geteuid: () => number }, 'geteuid').mockReturnValue(own),
      vi.spyOn(fs, 'statSync').mockReturnValue(Object.assign(fs.statSync(dataDir), { uid })),
      vi.spyOn(fs, 'statfsSync').mockReturnValue(Object.assign(fs.statfsSync(dataDir), { type })),
    ]
    syncBuiltinESMExports()
    try {
      makePrivate(dataDir)
      return 'used'
    } catch (thrown) {
      return String(thrown).replaceAll(dataDir, 'FOLDER')
    } finally {
      for (const spy of spies) spy.mockRestore()
      syncBuiltinESMExports()
    }
  }

  it('can be made this user’s when root made it', () => {
    expect(faultOf('data', { own: 1000, uid: 0 })).toMatch(
      /belongs to another user .* Make it yours with "sudo chown -R \$USER FOLDER", or choose another one\.$/,
    )
    expect(faultOf("my 'data", { own: 1000, uid: 0 })).toMatch(/\$USER '\/.*\/my '\\''data'", or/)
    expect(faultOf('data', { own: 1000, uid: 1001 })).toMatch(/own, or start Inference Studio as that user\.$/)
  })

  it('is used by a start as that user, not as root', () => {
    expect(faultOf('data', { own: 0, uid: 1000 })).toMatch(/Start Inference Studio as that user, or choose another/)
  })

  it('is named as a disk without owners when it is on one', () => {
    for (const type of [0x4d44, 0x2011bab0, 0xff534d42, 0xfe534d42 | 0])
      expect(faultOf('data', { own: 1000, uid: 0, type })).toMatch(/a disk without permissions .* another disk\.$/)
    expect(faultOf('data', { own: 1000, uid: 1000, type: 0x4d44 })).toBe('used')
  })
})

describe.runIf(canBeOtherUser)('another user of the computer', () => {
  const nobody = 65_534
  /** The other user holds a read lock on the lock file, as any program can that may open it. Prints its result. */
  const holdLock = (dataDir: string) =>
    asOtherUser(`
      import { DatabaseSync } from 'node:sqlite'
      const handle = new DatabaseSync(${JSON.stringify(join(dataDir, 'studio.lock'))}, { readOnly: true })
      handle.exec('BEGIN')
      handle.prepare('SELECT count(*) FROM sqlite_schema').get()
      console.log('held')
      setInterval(() => handle.isOpen, 1000)
    `)

  it('who locked a file of an earlier version prevents a start only until the person follows the message', async () => {
    const { dataDir } = openFolder()
    chmodSync(join(dataDir, '..'), 0o755)
    rmSync(join(dataDir, 'studio.owner.json'))
    const other = holdLock(dataDir)
    onTestFinished(other.end)
    await once(other.child.stdout ?? other.child, 'data')
    expect(() => lockFolder(dataDir)).toThrow(/delete that file/)
    rmSync(join(dataDir, 'studio.lock'))
    lockFolder(dataDir).release()
  })

  it('can open nothing in a folder that was claimed, not even by a path that they know', async () => {
    const { dataDir } = openFolder()
    chmodSync(join(dataDir, '..'), 0o755)
    claimFolder(dataDir)
    const names = ['', 'studio.lock', 'studio.sqlite', 'media/one.wav', 'README.txt'].map((name) => join(dataDir, name))
    const script = `
      import { openSync } from 'node:fs'
      for (const path of ${JSON.stringify(names)}) try { openSync(path); console.log(path) } catch ({ code }) { console.log(code) }`
    expect((await asOtherUser(script).output).trim().split('\n')).toEqual(names.map(() => 'EACCES'))
    // With an earlier folder around it, the lock file itself is closed.
    chmodSync(dataDir, 0o755)
    const other = holdLock(dataDir)
    onTestFinished(other.end)
    expect(await other.output).toBe('')
    lockFolder(dataDir).release()
  })

  it('who owns the folder is named, and the folder is not used', async () => {
    const dataDir = join(temporaryFolder('studio-private-'), 'data')
    claimFolder(dataDir)
    chownSync(dataDir, nobody, nobody)
    const words = /belongs to another user of this computer \(user ID 65534\)/
    expect(() => claimFolder(dataDir)).toThrow(
      expect.objectContaining({ kind: 'bad_input', message: expect.stringMatching(words) }),
    )
    await expect(onFolder({ dataDir, log: () => undefined }, () => null)).rejects.toThrow(words)
    chownSync(dataDir, process.getuid?.() ?? 0, process.getgid?.() ?? 0)
  })
})
