import { setImmediate } from 'node:timers/promises'

/** Blocks that are decoded in one turn of the event loop: some milliseconds of work. */
const blocksPerTurn = 4096

/** A Huffman table by code length, 1 to 16: the first code, its index in `symbols`, and the number of codes (T.81, annex C). */
interface HuffmanTable {
  counts: Uint8Array
  symbols: Uint8Array
}

interface Component {
  id: number
  h: number
  v: number
}

/** What the segments before a scan say about it. */
export class JpegTables {
  #frame: { width: number; height: number; components: Component[] } | null = null
  readonly #tables = new Map<number, HuffmanTable>()
  readonly #scanned = new Set<number>()
  #restartInterval = 0

  /** Takes in a segment. @param segment the bytes after its length */
  add(marker: number, segment: Buffer): void {
    // Baseline and extended sequential frames. Of others, such as progressive ones, the pixels are not counted.
    if (marker === 0xc0 || marker === 0xc1) this.#addFrame(segment)
    if (marker === 0xc4) this.#addTables(segment)
    if (marker === 0xdd && segment.length >= 2) this.#restartInterval = segment.readUInt16BE(0)
  }

  /**
   * Whether the entropy-coded data of a scan have all blocks of the image, and every component was in a scan. Call once for each scan.
   * @param header the scan header, without its length
   * @param isLast whether to decode the data. Components of earlier scans only count as there
   */
  async isWhole(header: Buffer, data: Buffer, isLast: boolean): Promise<boolean> {
    const count = header[0] ?? 0
    const frame = this.#frame
    if (frame === null || header.length < 1 + 2 * count) return false
    const inScan = Array.from({ length: count }, (_, at) => ({
      component: frame.components.find(({ id }) => id === header[1 + 2 * at]),
      tables: header[2 + 2 * at] ?? 0,
    }))
    for (const { component } of inScan) if (component) this.#scanned.add(component.id)
    if (!isLast || this.#scanned.size < frame.components.length) return false
    const parts = inScan.flatMap(({ component, tables }) => {
      const [dc, ac] = [this.#tables.get(tables >> 4), this.#tables.get(0x10 | (tables & 15))]
      return component && dc && ac ? [{ component, dc, ac }] : []
    })
    const [first] = parts
    if (first === undefined || parts.length < count) return false
    const [hMost, vMost] = [mostOf(frame.components, 'h'), mostOf(frame.components, 'v')]
    const { h, v } = first.component
    // A.2: a scan of one component has its blocks in rows, and other scans have units of blocks of all components.
    const units =
      parts.length === 1
        ? blocksOf((frame.width * h) / hMost) * blocksOf((frame.height * v) / vMost)
        : blocksOf(frame.width / hMost) * blocksOf(frame.height / vMost)
    const blocks = parts.flatMap((one) =>
      Array<typeof one>(parts.length === 1 ? 1 : one.component.h * one.component.v).fill(one),
    )
    return hasUnits(new BitReader(data), blocks, units, this.#restartInterval)
  }

  #addFrame(segment: Buffer): void {
    const count = segment[5] ?? 0
    if (segment.length < 6 + 3 * count) return
    const components = Array.from({ length: count }, (_, at) => {
      const sampling = segment.readUInt8(7 + 3 * at)
      return { id: segment.readUInt8(6 + 3 * at), h: sampling >> 4, v: sampling & 15 }
    })
    if (components.some(({ h, v }) => h < 1 || h > 4 || v < 1 || v > 4)) return
    this.#frame = { height: segment.readUInt16BE(1), width: segment.readUInt16BE(3), components }
  }

  #addTables(segment: Buffer): void {
    for (let at = 0; at + 17 <= segment.length; ) {
      const counts = segment.subarray(at + 1, at + 17)
      const end = at + 17 + counts.reduce((sum, count) => sum + count, 0)
      this.#tables.set(segment[at] ?? 0, { counts, symbols: segment.subarray(at + 17, end) })
      at = end
    }
  }
}

const blocksOf = (samples: number): number => Math.ceil(Math.ceil(samples) / 8)
const mostOf = (components: readonly Component[], of: 'h' | 'v'): number =>
  components.reduce((most, component) => Math.max(most, component[of]), 1)

async function hasUnits(
  bits: BitReader,
  blocks: readonly { dc: HuffmanTable; ac: HuffmanTable }[],
  units: number,
  restartInterval: number,
): Promise<boolean> {
  let sinceTurn = 0
  for (let unit = 0; unit < units; unit += 1) {
    if (restartInterval > 0 && unit > 0 && unit % restartInterval === 0 && !bits.restart()) return false
    for (const { dc, ac } of blocks) if (!hasBlock(bits, dc, ac)) return false
    sinceTurn += blocks.length
    if (sinceTurn < blocksPerTurn) continue
    sinceTurn = 0
    await setImmediate()
  }
  return true
}

/** F.1.2: a DC coefficient, then AC coefficients up to the end of the block. */
function hasBlock(bits: BitReader, dc: HuffmanTable, ac: HuffmanTable): boolean {
  if (!bits.skip(bits.symbol(dc))) return false
  for (let at = 1; at < 64; ) {
    const symbol = bits.symbol(ac)
    const [run, size] = [symbol >> 4, symbol & 15]
    if (symbol < 0 || !bits.skip(size)) return false
    if (size === 0 && run < 15) return true
    at += run + 1
  }
  return true
}

/** The bits of entropy-coded data, without the zero after each FF. */
class BitReader {
  readonly #data: Buffer
  #at = 0
  #byte = 0
  #left = 0

  constructor(data: Buffer) {
    this.#data = data
  }

  /** The next symbol; -1 at the end of the data and for an invalid code. */
  symbol({ counts, symbols }: HuffmanTable): number {
    let [code, first, index] = [0, 0, 0]
    for (let length = 0; length < 16; length += 1) {
      const bit = this.#bit()
      if (bit < 0) return -1
      code |= bit
      const count = counts[length] ?? 0
      if (code - first < count) return symbols[index + code - first] ?? -1
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    return -1
  }

  /** False when the data end before so many bits, or for a negative number. */
  skip(bits: number): boolean {
    if (bits < 0) return false
    for (let at = 0; at < bits; at += 1) if (this.#bit() < 0) return false
    return true
  }

  /** Continues after the next restart marker. */
  restart(): boolean {
    this.#left = 0
    while (this.#data[this.#at] === 0xff && this.#data[this.#at + 1] === 0xff) this.#at += 1
    const marker = this.#data[this.#at + 1] ?? 0
    if (this.#data[this.#at] !== 0xff || marker < 0xd0 || marker > 0xd7) return false
    this.#at += 2
    return true
  }

  #bit(): number {
    if (this.#left === 0) {
      const byte = this.#data[this.#at]
      if (byte === undefined || (byte === 0xff && this.#data[this.#at + 1] !== 0)) return -1
      this.#at += byte === 0xff ? 2 : 1
      this.#byte = byte
      this.#left = 8
    }
    this.#left -= 1
    return (this.#byte >> this.#left) & 1
  }
}
