import { createHash } from 'node:crypto'
import { block, headOf, padding } from './layout.ts'

/** Takes bytes in their order; resolves when more may come. */
export type TarSink = (bytes: Uint8Array) => Promise<unknown>

export interface TarWrittenEntry {
  name: string
  bytes: number
  sha256: string
}

/** A tar that is written from its first byte to its last: to a file, or to somebody who reads along. */
export function tarWriter(sink: TarSink, at: number) {
  return {
    /** `size` bytes of `source`: more are left out, fewer are an error of whoever asked. */
    async add(
      name: string,
      size: number,
      source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    ): Promise<TarWrittenEntry> {
      await sink(headOf({ name, size }, at))
      const hash = createHash('sha256')
      let left = size
      for await (const chunk of source) {
        const bytes = chunk.subarray(0, Math.min(chunk.length, left))
        if (bytes.length === 0) break
        hash.update(bytes)
        await sink(bytes)
        left -= bytes.length
      }
      if (left > 0) throw new Error(`${name} is ${left} bytes shorter than it was a moment ago.`)
      const rest = padding(size)
      if (rest > 0) await sink(Buffer.alloc(rest))
      return { name, bytes: size, sha256: hash.digest('hex') }
    },
    /** Two empty blocks are the end of the file. */
    finish: (): Promise<unknown> => sink(Buffer.alloc(2 * block)),
  }
}
