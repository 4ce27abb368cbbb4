import type { Pages } from './pages.ts'

export type Value = null | number | bigint | string | Uint8Array

/** A row of a page. `rowid` is null in indexes and in tables without row ids. */
export interface Cell {
  rowid: number | null
  values: Value[]
}

/** The content of a tree page: rows, child pages, and the number of either that cannot be read. */
export interface TreePage {
  isLeaf: boolean
  isTable: boolean
  cells: Cell[]
  /** Child pages in order, with the largest row id of each (null: the last child, or an index). */
  children: { no: number; upTo: number | null }[]
  broken: number
}

/**
 * Parses a page of a b-tree (https://sqlite.org/fileformat2.html, 1.6); null when it is not one. Each cell is checked and read separately,
 * so a damaged cell does not affect the others.
 */
export function readTreePage(pages: Pages, no: number): TreePage | null {
  const page = pages.page(no)
  const from = no === 1 ? 100 : 0
  const type = page.readUInt8(from)
  if (type !== 2 && type !== 5 && type !== 10 && type !== 13) return null
  const isLeaf = type === 10 || type === 13
  const isTable = type === 5 || type === 13
  const start = from + (isLeaf ? 8 : 12)
  const count = page.readUInt16BE(from + 3)
  if (start + 2 * count > pages.usable) return null
  const found: TreePage = { isLeaf, isTable, cells: [], children: [], broken: 0 }
  for (let index = 0; index < count; index += 1) {
    try {
      const at = page.readUInt16BE(start + 2 * index)
      if (at < start + 2 * count) throw new RangeError('A cell overlaps the list of cells.')
      readCell(pages, page, at, found)
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown
      found.broken += 1
    }
  }
  if (!isLeaf) found.children.push({ no: page.readUInt32BE(from + 8), upTo: null })
  return found
}

function readCell(pages: Pages, page: Buffer, from: number, found: TreePage): void {
  let at = from
  if (!found.isLeaf) {
    const no = page.readUInt32BE(at)
    at += 4
    if (found.isTable) {
      found.children.push({ no, upTo: varint(page, at).value })
      return
    }
    found.children.push({ no, upTo: null })
  }
  const length = varint(page, at)
  at = length.next
  let rowid: number | null = null
  if (found.isTable) {
    const key = varint(page, at)
    at = key.next
    rowid = key.value
    if (!Number.isSafeInteger(rowid)) throw new RangeError('A row id is invalid.')
  }
  const payload = readPayload(pages, page, at, length.value, found.isTable)
  found.cells.push({ rowid, values: readRecord(payload) })
}

/** The bytes of a row, including those in overflow pages. @throws RangeError */
function readPayload(pages: Pages, page: Buffer, at: number, length: number, isTable: boolean): Buffer {
  const { usable } = pages
  if (length > pages.count * usable) throw new RangeError('A row is longer than the file.')
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  if (length <= most) return slice(page, at, length)
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const odd = least + ((length - least) % (usable - 4))
  const local = odd <= most ? odd : least
  const parts = [slice(page, at, local)]
  let left = length - local
  let next = page.readUInt32BE(at + local)
  while (left > 0) {
    if (next < 2 || next > pages.count) throw new RangeError('The next page of a row does not exist.')
    const more = pages.page(next)
    // A page of zeros contains no part of a row: neither the number of the next page nor text consists of zeros.
    if (left >= 16 && more.every((byte) => byte === 0)) throw new RangeError('The next page of a row is empty.')
    const part = slice(more, 4, Math.min(left, usable - 4))
    parts.push(part)
    left -= part.length
    next = more.readUInt32BE(0)
  }
  return Buffer.concat(parts)
}

/** Parses a record: https://sqlite.org/fileformat2.html, 2.1. @throws RangeError when its lengths are inconsistent */
function readRecord(payload: Buffer): Value[] {
  const head = varint(payload, 0)
  const end = head.value
  if (end > payload.length) throw new RangeError('The header of a row is longer than the row.')
  const values: Value[] = []
  let at = head.next
  let from = end
  while (at < end) {
    const type = varint(payload, at)
    at = type.next
    const kind = type.value
    const length = lengthOf(kind)
    values.push(readValue(slice(payload, from, length), kind))
    from += length
  }
  if (at !== end || from !== payload.length) throw new RangeError('The lengths of a row are inconsistent.')
  return values
}

const fixed = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

function lengthOf(kind: number): number {
  if (kind >= 12) return (kind - (kind % 2 === 0 ? 12 : 13)) / 2
  const length = fixed[kind]
  if (length === undefined) throw new RangeError('A value has an unknown type.')
  return length
}

function readValue(bytes: Buffer, kind: number): Value {
  if (kind >= 12) return kind % 2 === 0 ? new Uint8Array(bytes) : bytes.toString('utf8')
  if (kind === 0) return null
  if (kind === 7) return bytes.readDoubleBE(0)
  if (kind >= 8) return kind - 8
  if (kind < 6) return bytes.readIntBE(0, bytes.length)
  const large = bytes.readBigInt64BE(0)
  return Number.isSafeInteger(Number(large)) ? Number(large) : large
}

/** A part of the bytes. @throws RangeError when it would extend beyond the end */
function slice(bytes: Buffer, at: number, length: number): Buffer {
  if (length < 0 || at + length > bytes.length) throw new RangeError('A row extends beyond its page.')
  return bytes.subarray(at, at + length)
}

/** One to nine bytes; all bits of the ninth count. Numbers beyond a double's precision are never a valid row id or length here. */
function varint(bytes: Buffer, from: number): { value: number; next: number } {
  const first = bytes.readUInt8(from)
  if (first < 0x80) return { value: first, next: from + 1 }
  let value = first & 0x7f
  for (let at = from + 1; at < from + 8; at += 1) {
    const byte = bytes.readUInt8(at)
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return { value, next: at + 1 }
  }
  const whole = (BigInt(value) << 8n) | BigInt(bytes.readUInt8(from + 8))
  return { value: Number(BigInt.asIntN(64, whole)), next: from + 9 }
}
