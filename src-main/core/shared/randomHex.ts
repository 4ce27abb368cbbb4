import { randomFillSync } from 'node:crypto'

/** Random bytes for many ids: each call of the generator costs as much as the rest of a small request. */
const pool = Buffer.alloc(4096)
let used = pool.length

/**
 * Unpredictable hexadecimal digits, for ids.
 * @param count number of random bytes, at most 4096; the text has twice as many digits
 */
export function randomHex(count: number): string {
  if (used + count > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += count
  return pool.toString('hex', used - count, used)
}
