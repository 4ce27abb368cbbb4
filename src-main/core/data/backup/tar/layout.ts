import { StudioError } from '../../../errors.ts'

// The ustar format (POSIX.1-2017, pax, "ustar Interchange Format"), regular files only. A size of more than eleven octal digits (8 GiB) is
// written in base 256. GNU tar, bsdtar and Python can read that. docs/decisions/0004-own-tar.md has the reasons for not using a library.

/** Bytes of a header, and the unit in which contents are filled up. */
export const block = 512
const zeros = Buffer.alloc(block)
/** Whether a block is empty, as the two at the end of a tar are. */
export const isZeros = (bytes: Uint8Array): boolean => zeros.equals(bytes)

export interface TarHead {
  name: string
  size: number
}

/** Zero bytes that follow a content of this size. */
export const padding = (size: number): number => (block - (size % block)) % block

/** The header of an entry. `name` is ASCII, at most 100 bytes; `at` is in ms since 1970. */
export function headOf({ name, size }: TarHead, at: number): Buffer {
  const head = Buffer.alloc(block)
  head.write(name, 0, 100, 'ascii')
  octal(head, 0o600, 100, 8)
  octal(head, 0, 108, 8)
  octal(head, 0, 116, 8)
  if (size < 8 ** 11) octal(head, size, 124, 12)
  else {
    head.writeUInt8(0x80, 124)
    head.writeBigUInt64BE(BigInt(size), 128)
  }
  octal(head, Math.floor(at / 1000), 136, 12)
  head.write('0', 156, 'ascii')
  head.write('ustar\u000000', 257, 'latin1')
  octal(head, checksum(head), 148, 7)
  head.write(' ', 155, 'ascii')
  return head
}

/** Parses a header. @throws StudioError `bad_input` for anything but a regular file with a plain name */
export function readHead(head: Buffer): TarHead {
  const stored = Number.parseInt(textAt(head, 148, 8).trim(), 8)
  if (stored !== checksum(head)) throw notOurs('A header in it is damaged.')
  const type = head.readUInt8(156)
  // Links, devices, folders, sparse files, long names: a backup never contains them.
  if (type !== 0x30) throw notOurs('It contains something other than regular files.')
  if (textAt(head, 345, 155) !== '' || textAt(head, 157, 100) !== '')
    throw notOurs('It contains a name of an unknown form.')
  return { name: textAt(head, 0, 100), size: sizeOf(head) }
}

/** The error for a file that is damaged, incomplete or not a backup. */
export const notOurs = (why: string): StudioError =>
  new StudioError('bad_input', `This file is not a complete backup of Inference Studio. ${why} Nothing was changed.`)

function sizeOf(head: Buffer): number {
  const first = head.readUInt8(124)
  if (first === 0x80) {
    const size = head.readBigUInt64BE(128)
    if (size <= BigInt(Number.MAX_SAFE_INTEGER) && head.readUInt16BE(125) === 0 && head[127] === 0) return Number(size)
    throw notOurs('A size in it is invalid.')
  }
  const text = textAt(head, 124, 12).trim()
  if (!/^[0-7]{1,11}$/.test(text)) throw notOurs('A size in it is invalid.')
  return Number.parseInt(text, 8)
}

function textAt(head: Buffer, at: number, length: number): string {
  const bytes = head.subarray(at, at + length)
  const end = bytes.indexOf(0)
  return bytes.toString('latin1', 0, end === -1 ? length : end)
}

function octal(head: Buffer, value: number, at: number, length: number): void {
  head.write(value.toString(8).padStart(length - 1, '0'), at, length - 1, 'ascii')
}

/** The sum of all bytes of the header, with the eight of the checksum counted as spaces. */
function checksum(head: Buffer): number {
  let sum = 0
  for (const [at, byte] of head.entries()) sum += at >= 148 && at < 156 ? 32 : byte
  return sum
}
