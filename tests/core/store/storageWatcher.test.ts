import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Core, createCore } from '../../../src-main/core/core.ts'
import { databaseFile } from '../../../src-main/core/store/store.ts'
import { lacks, needs } from '../../helpers/programs.mjs'
import { freshFolder, testHost } from '../helpers/core.ts'
import { lock } from '../helpers/lock.ts'
import { mountMemoryDisk, unmountMemoryDisk } from '../helpers/memoryDisk.ts'

async function start(dataDir: string) {
  const core = await createCore(testHost(dataDir).host, { proxyPort: null })
  onTestFinished(() => core.stop())
  return { core, client: createRouterClient(core.router) }
}

/** Waits until the state reports this kind of problem; null: none. */
const untilProblem = (core: Core, kind: string | null): Promise<void> =>
  vi.waitFor(() => expect(core.state().storage?.kind ?? null).toBe(kind), { timeout: 30_000, interval: 20 })

/** Makes a file system in a file and mounts it. An error in it makes the disk read-only while its files are open, as a failing disk does. */
function mountImage(image: string): { disk: string; breakDisk: () => void } {
  const disk = freshFolder()
  writeFileSync(image, '')
  truncateSync(image, 64 * 1024 * 1024)
  execFileSync('mkfs.ext4', ['-q', image], { stdio: 'ignore' })
  execFileSync('mount', ['-o', 'loop,errors=remount-ro', image, disk], { stdio: 'ignore' })
  onTestFinished(() => void execFileSync('umount', ['-l', disk]))
  const device = basename(execFileSync('findmnt', ['-no', 'SOURCE', disk], { encoding: 'utf8' }).trim())
  return { disk, breakDisk: () => writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, 'read-only disk') }
}

const canBreakDisk = ((): boolean => {
  if (lacks('mount') !== null) return false
  const folder = freshFolder()
  try {
    writeFileSync(join(folder, 'disk.img'), '')
    truncateSync(join(folder, 'disk.img'), 1024 * 1024)
    execFileSync('mkfs.ext4', ['-q', join(folder, 'disk.img')], { stdio: 'ignore' })
    execFileSync('mount', ['-o', 'loop', join(folder, 'disk.img'), folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return existsSync('/sys/fs/ext4/features')
  } catch {
    console.log('This machine mounts no ext4 image: what a read-only disk does is not tried here.')
    return false
  }
})()

describe('the state of the program', () => {
  it('reports a lock of another program while it lasts, and that it is gone by itself', async () => {
    const { core, client } = await start(freshFolder())
    const { dataDir } = core.state()
    expect(core.state().storage ?? null).toBeNull()
    const release = lock(databaseFile(dataDir))
    onTestFinished(release)
    const written = client.app.updateSettings({ bodyDays: 5 }).catch(() => null)
    await untilProblem(core, 'database_locked')
    expect(core.state().storage?.message).toContain(databaseFile(dataDir))
    await client.app.checkStorage()
    expect(core.state().storage?.kind).toBe('database_locked')
    release()
    await untilProblem(core, null)
    await written
    expect(await client.app.updateSettings({ bodyDays: 6 })).toMatchObject({ bodyDays: 6 })
  })

  it('reports a full disk, and that there is space again', needs('mount'), async () => {
    const disk = mountMemoryDisk(8)
    onTestFinished(() => unmountMemoryDisk(disk))
    const dataDir = join(disk, 'data')
    mkdirSync(dataDir)
    const { core, client } = await start(dataDir)
    const filler = join(disk, 'filler')
    const { bavail, bsize } = statfsSync(disk)
    writeFileSync(filler, Buffer.alloc(bavail * bsize))
    // The log of the database has free space of its own. These changes use it up.
    for (let turn = 0; turn < 200 && !core.state().storage; turn += 1)
      await client.app.updateSettings({ proxyOrigins: [`http://${'a'.repeat(200)}${turn}.example`] }).catch(() => null)
    await untilProblem(core, 'disk_full')
    rmSync(filler)
    await untilProblem(core, null)
    expect(await client.app.updateSettings({ bodyDays: 6 })).toMatchObject({ bodyDays: 6 })
  })

  it.runIf(canBreakDisk)(
    'reports a disk that became read-only after an error, and still reads',
    needs('mount'),
    async () => {
      const image = join(freshFolder(), 'disk.img')
      const { disk, breakDisk } = mountImage(image)
      const dataDir = join(disk, 'data')
      mkdirSync(dataDir)
      const { core, client } = await start(dataDir)
      await client.app.updateSettings({ bodyDays: 6 })
      breakDisk()
      await expect(client.app.updateSettings({ bodyDays: 5 })).rejects.toMatchObject({ data: { kind: 'not_writable' } })
      await untilProblem(core, 'not_writable')
      expect(core.state().storage?.message).toContain(databaseFile(dataDir))
      // Such a disk stays read-only until it is mounted anew.
      await client.app.checkStorage()
      expect(core.state().storage?.kind).toBe('not_writable')
      expect(core.state().settings.bodyDays).toBe(6)
    },
  )
})
