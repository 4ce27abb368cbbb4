import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { StoredApp } from '../../store/apps.ts'

/** `isk_ID_SECRET`: the id finds the row, 32 random bytes prove it. Fixed widths, since base64url may hold `_` itself. */
const format = /^isk_([a-z0-9]{8,32})_([A-Za-z0-9_-]{43})$/
/** Compared with where an id is not known, so that this costs the same work as a wrong secret. */
const nobody = randomBytes(32)

/** Filled anew for each comparison: a buffer made for each would cost more than the hash (0.4 of 0.8 us). */
const presentedHash = Buffer.alloc(32)

/** A new key and the hash that is all we keep of it. */
export function makeKey(): { id: string; key: string; hash: Uint8Array } {
  const id = randomBytes(5).toString('hex')
  const secret = randomBytes(32).toString('base64url')
  return { id, key: `isk_${id}_${secret}`, hash: hash('sha256', secret, 'buffer') }
}

/** The row whose secret was presented; undefined for anything else, after the same work. */
export function rowOf<Row extends Pick<StoredApp, 'hash'>>(
  presented: string,
  rows: ReadonlyMap<string, Row>,
): Row | undefined {
  const parts = format.exec(presented)
  const row = rows.get(parts?.[1] ?? '')
  presentedHash.write(hash('sha256', parts?.[2] ?? '', 'binary'), 'binary')
  const same = timingSafeEqual(presentedHash, row?.hash ?? nobody)
  return same ? row : undefined
}
