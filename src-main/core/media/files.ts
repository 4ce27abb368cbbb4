import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { StudioError } from '../errors.ts'

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

/** @throws StudioError `no_such_item` */
export async function readKept(path: string): Promise<Buffer> {
  return readFile(path).catch((thrown: unknown) => {
    throw new StudioError('no_such_item', 'This file is not there any more.', {}, { cause: thrown })
  })
}

/** What a file operation threw, in words: a full disk is a person's to mend. */
export function asFileError(thrown: unknown): unknown {
  if (thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOSPC' || thrown.code === 'EDQUOT')) {
    const words = 'The disk is full, so this could not be kept. Free some space, then try again.'
    return new StudioError('store_damaged', words, {}, { cause: thrown })
  }
  return thrown
}
