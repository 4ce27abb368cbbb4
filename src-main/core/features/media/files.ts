import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { StudioError } from '../../errors.ts'
import { diskProblem } from '../../shared/diskProblem.ts'

/** A UUID. No other external text may become a file name. */
export const uuid = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk)
  return hash.digest('hex')
}

/** The first bytes of a file, at most `bytes`. */
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
export async function readStored(path: string): Promise<Buffer> {
  return readFile(path).catch((thrown: unknown) => {
    const known = diskProblem(thrown, 'This file')
    if (known) throw known
    throw new StudioError('no_such_item', 'This file no longer exists.', {}, { cause: thrown })
  })
}

/** Converts an error of a file operation: a full disk, missing permission and too many open files become problems with messages. */
export const asFileError = (thrown: unknown): unknown => diskProblem(thrown, 'This file') ?? thrown
