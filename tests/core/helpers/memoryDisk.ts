import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../helpers/folders.ts'

/** Mounts a real file system of so many MB, in memory, and returns its folder. Fails where this user may not mount one. */
export function mountMemoryDisk(megabytes: number): string {
  const disk = temporaryFolder('studio-disk-')
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', disk], { stdio: 'ignore' })
  return disk
}

/** Unmounts a disk of `mountMemoryDisk`, also while files on it are open. */
export function unmountMemoryDisk(disk: string): void {
  execFileSync('umount', ['-l', disk])
  rmSync(disk, { recursive: true, force: true })
}

/** Writes a file that fills the disk except for `left` bytes. */
export function fillDisk(disk: string, left = 0): void {
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(join(disk, 'other'), Buffer.alloc(bavail * bsize - left))
}
