import type { FileHandle } from 'node:fs/promises'
import { badInput, note } from '../../shared/notes.ts'
import { faultOf } from './importNotes.ts'
import { yieldRegularly } from './yieldToEventLoop.ts'

/** JSON bytes in a file or in memory. */
export interface JsonSource {
  readonly size: number
  read(start: number, end: number): Promise<Uint8Array>
}

/** Byte range of one value, which may include surrounding white space. */
export interface ByteRange {
  start: number
  end: number
  isTooDeep?: boolean
}

/** A direct child of an object or array. */
export interface JsonChild extends ByteRange {
  /** Key in an object; null in an array. */
  key: string | null
  /** Whether the value is nested too deeply to be parsed. */
  isTooDeep: boolean
}

const chunkBytes = 256 * 1024
/** Maximum nesting depth, far above real data. */
const maxDepth = 100
/** Largest value that is parsed at once. */
const maxValueBytes = 64 * 1024 * 1024

export const inMemory = (bytes: Uint8Array): JsonSource => ({
  size: bytes.length,
  read: async (start, end) => bytes.subarray(start, end),
})

export const inFile = (handle: FileHandle, size: number): JsonSource => ({
  size,
  async read(start, end) {
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(end, size) - start))
    let filled = 0
    while (filled < buffer.length) {
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, start + filled)
      if (bytesRead === 0) throw badInput(note('file.shorter'))
      filled += bytesRead
    }
    return buffer
  },
})

const space = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
const damage = (): Error => badInput(note('file.json'))

/** First byte after white space and a byte order mark, or null. */
export async function firstByte(source: JsonSource): Promise<number | null> {
  const head = await source.read(0, Math.min(source.size, 4096))
  let at = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0
  while (at < head.length && space(head[at] ?? 0)) at += 1
  return head[at] ?? null
}

type FoundChild = ByteRange & { key: ByteRange | null; isTooDeep: boolean }

/** State of the scan of one object or array. */
interface Scan {
  open: number
  depth: number
  /** Greatest depth within the current value. */
  deepest: number
  quoted: boolean
  escaped: boolean
  /** Start of the current value, or -1. */
  valueAt: number
  keyAt: number
  key: ByteRange | null
  ended: boolean
}

/**
 * Yields the direct children of one object or array. Finds them by brackets and quotes alone, so that a file of any size needs little
 * memory. `parse` validates the values.
 * @throws StudioError `bad_input` if brackets or quotes do not match
 */
export async function* children(
  source: JsonSource,
  range: ByteRange = { start: 0, end: source.size },
): AsyncGenerator<JsonChild> {
  const scan: Scan = {
    open: 0,
    depth: 0,
    deepest: 0,
    quoted: false,
    escaped: false,
    valueAt: -1,
    keyAt: -1,
    key: null,
    ended: false,
  }
  const giveWay = yieldRegularly()
  for (let at = range.start; at < range.end; at += chunkBytes) {
    const chunk = await source.read(at, Math.min(range.end, at + chunkBytes))
    const found: FoundChild[] = []
    scanChunk(scan, chunk, at, found)
    for (const { key, ...range } of found) yield { key: key && (await keyText(source, key)), ...range }
    await giveWay()
  }
  if (!scan.ended) throw damage()
}

async function keyText(source: JsonSource, key: ByteRange): Promise<string> {
  const parsed = await parse(source, key)
  if (typeof parsed !== 'string') throw damage()
  return parsed
}

function scanChunk(scan: Scan, chunk: Uint8Array, from: number, found: FoundChild[]): void {
  for (let index = 0; index < chunk.length; index += 1) {
    const byte = chunk[index] ?? 0
    if (scan.quoted) inText(scan, byte)
    else if (scan.depth !== 1 || !structure(scan, byte, from + index, found)) inValue(scan, byte, from + index)
  }
}

function inText(scan: Scan, byte: number): void {
  if (scan.escaped) scan.escaped = false
  else if (byte === 0x5c) scan.escaped = true
  else if (byte === 0x22) scan.quoted = false
}

/** Handles a byte of the current value or key, or of white space around the scanned object or array. */
function inValue(scan: Scan, byte: number, at: number): void {
  if (space(byte)) return
  if (scan.depth === 1 && scan.valueAt < 0) {
    if (scan.open === 0x7b && scan.key === null) {
      if (byte !== 0x22) throw damage()
      scan.keyAt = at
    }
    scan.valueAt = at
  }
  if (byte === 0x22) scan.quoted = true
  else if (byte === 0x7b || byte === 0x5b) begin(scan, byte)
  else if (byte === 0x7d || byte === 0x5d) {
    if (scan.depth <= 1) throw damage()
    scan.depth -= 1
  } else if (scan.depth === 0 && !(at < 3 && byte >= 0xbb)) throw damage()
}

function begin(scan: Scan, byte: number): void {
  if (scan.ended) throw damage()
  if (scan.depth === 0) {
    scan.open = byte
    // The bracket itself is not a child.
    scan.valueAt = -1
  }
  scan.depth += 1
  scan.deepest = Math.max(scan.deepest, scan.depth)
}

/** Handles commas, colons and the closing bracket. Returns whether the byte was one of these. */
function structure(scan: Scan, byte: number, at: number, found: FoundChild[]): boolean {
  const isObject = scan.open === 0x7b
  if (byte === 0x3a && isObject && scan.key === null) {
    if (scan.keyAt < 0) throw damage()
    scan.key = { start: scan.keyAt, end: at }
    scan.valueAt = -1
    return true
  }
  const closes = byte === (isObject ? 0x7d : 0x5d)
  if (byte !== 0x2c && !closes) return false
  if (scan.valueAt >= 0 && (!isObject || scan.key !== null)) {
    found.push({ key: scan.key, start: scan.valueAt, end: at, isTooDeep: scan.deepest > maxDepth })
  } else if (byte === 0x2c || scan.key !== null || scan.valueAt >= 0) throw damage()
  scan.deepest = 0
  scan.valueAt = -1
  scan.keyAt = -1
  scan.key = null
  if (closes) {
    scan.depth = 0
    scan.ended = true
  }
  return true
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
/** An escaped surrogate, lone or part of a pair. Only texts with a match are searched for lone surrogates. */
const surrogate = /\\u[dD][89a-fA-F]/

/**
 * Parses one value. Replaces lone surrogates with U+FFFD, because SQLite stores UTF-8, and calls `broken` for each such
 * text.
 */
export async function parse(
  source: JsonSource,
  { start, end, isTooDeep = false }: ByteRange,
  broken: () => void = () => undefined,
): Promise<unknown> {
  if (isTooDeep) throw badInput(note('file.deep'))
  if (end - start > maxValueBytes) throw badInput(note('file.largeValue', { most: 64 }))
  try {
    const text = utf8.decode(await source.read(start, end))
    if (!surrogate.test(text)) return JSON.parse(text)
    return JSON.parse(text, (_key, value: unknown) => {
      if (typeof value !== 'string' || value.isWellFormed()) return value
      broken()
      return value.toWellFormed()
    })
  } catch (thrown) {
    throw thrown instanceof SyntaxError || thrown instanceof TypeError ? badInput(note('file.json'), thrown) : thrown
  }
}

const titleBytes = 64 * 1024

/**
 * The title of a record that can't be parsed, from its first 64 KB: its member `title`, or that of its member `conversation`. Null if it has none.
 */
export async function titleIn(source: JsonSource, { start, end }: ByteRange): Promise<string | null> {
  try {
    for await (const { key, ...range } of children(source, { start, end: Math.min(end, start + titleBytes) })) {
      if (key === 'conversation') return await titleIn(source, range)
      if (key !== 'title') continue
      const title = await parse(source, range)
      return typeof title === 'string' && title.trim() !== '' ? title : null
    }
  } catch (thrown) {
    // The record is damaged before its title, or longer than what is read.
    if (faultOf(thrown) === null) throw thrown
  }
  return null
}
