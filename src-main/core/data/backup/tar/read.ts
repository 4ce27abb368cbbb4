import type { FileHandle } from 'node:fs/promises'
import { block, isZeros, notOurs, padding, readHead, type TarHead } from './layout.ts'

export interface TarEntry extends TarHead {
  /** The content. Must be read to its end before the next entry is requested. */
  bytes(): AsyncGenerator<Uint8Array, undefined>
}

const chunk = 1024 * 1024

/**
 * The entries of a tar, in order. The tar must end with two empty blocks and nothing after them. Each size is checked against the size of
 * the file, so that a truncated or forged tar never causes a read beyond the end.
 * @throws StudioError `bad_input`
 */
export async function* readTar(file: FileHandle): AsyncGenerator<TarEntry, undefined> {
  const { size } = await file.stat()
  let at = 0
  for (;;) {
    const head = await readAt(file, at, block)
    if (isZeros(head)) break
    const entry = readHead(head)
    const from = at + block
    const next = from + entry.size + padding(entry.size)
    if (!(next + 2 * block <= size)) throw notOurs('It ends too early.')
    yield { ...entry, bytes: () => bytesOf(file, from, entry.size) }
    at = next
  }
  if (!isZeros(await readAt(file, at + block, block))) throw notOurs('It ends too early.')
  if (at + 2 * block !== size) throw notOurs('It continues after its end.')
}

async function* bytesOf(file: FileHandle, from: number, size: number): AsyncGenerator<Uint8Array, undefined> {
  for (let at = 0; at < size; at += chunk) yield await readAt(file, from + at, Math.min(chunk, size - at))
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let got = 0
  while (got < length) {
    const { bytesRead } = await file.read(buffer, got, length - got, at + got)
    if (bytesRead === 0) throw notOurs('It ends too early.')
    got += bytesRead
  }
  return buffer
}
