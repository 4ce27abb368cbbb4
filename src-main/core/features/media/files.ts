import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { StudioError } from '../../errors.ts'
import { diskProblem } from '../../shared/diskProblem.ts'

/** An id of ours as a file's name: nothing else of what comes from outside becomes a path. */
export const uuid = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

/** Past the operating system's memory, also for a folder (the name of a new file in it). */
export async function toDisk(path: string, flags: 'r' | 'r+'): Promise<void> {
  // Windows opens no folder; its file systems journal names by themselves.
  if (process.platform === 'win32' && flags === 'r') return
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk)
  return hash.digest('hex')
}

/** The first bytes of a file, at most `bytes` of them. */
export async function headOf(path: string, bytes: number): Promise<Uint8Array> {
  const handle = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** @throws StudioError `no_such_item`, and as `diskProblem` */
export async function readKept(path: string): Promise<Buffer> {
  return readFile(path).catch((thrown: unknown) => {
    const known = diskProblem(thrown, 'This file')
    if (known) throw known
    throw new StudioError('no_such_item', 'This file is not there any more.', {}, { cause: thrown })
  })
}

/** What a file operation threw: a full disk, missing permission and too many open files become problems with words. */
export const asFileError = (thrown: unknown): unknown => diskProblem(thrown, 'This file') ?? thrown
