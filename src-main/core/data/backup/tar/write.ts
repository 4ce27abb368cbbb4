import { createHash } from 'node:crypto'
import { block, headOf, padding } from './layout.ts'

/** Receives bytes in order; the promise resolves when it accepts more. */
export type TarSink = (bytes: Uint8Array) => Promise<unknown>

export interface TarWrittenEntry {
  name: string
  bytes: number
  sha256: string
}

/** Writes a tar sequentially, to a file or a stream. */
export function tarWriter(sink: TarSink, at: number) {
  return {
    /** Adds `size` bytes of `source`. Further bytes are ignored; a shorter source is an error of the caller. */
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
      if (left > 0) throw new Error(`${name} is ${left} bytes shorter than announced.`)
      const rest = padding(size)
      if (rest > 0) await sink(Buffer.alloc(rest))
      return { name, bytes: size, sha256: hash.digest('hex') }
    },
    /** Ends the tar with two empty blocks. */
    finish: (): Promise<unknown> => sink(Buffer.alloc(2 * block)),
  }
}
