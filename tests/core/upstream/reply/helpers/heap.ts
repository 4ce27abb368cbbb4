import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: (() => void) | null = null

/** Bytes in use after a full collection, buffers included. */
export function heap(): number {
  if (collect === null) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  // Twice, because objects marked by a running collection are released by the next one.
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
