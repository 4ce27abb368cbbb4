// A column of figures as one short text. Each cell is a whole number in as many digits as the longest of them, so that any cell is found and read
// alone: half as long as decimals between commas, and nothing of it is read that nobody looks at.

/** Figures of one thing, bucket by bucket. */
export interface Column<T extends number | string> {
  /** As it was told; null where it has none, or there is no such bucket. */
  at(bucket: number): T | null
  /** For a height alone: a long amount is rounded. */
  numbers(): readonly (number | null)[]
}

/** The digits: characters from here on that JSON writes as themselves. */
const zero = 35
const base = 57
const nothing = 126

/** Figures as they are written without a digit too many; others stay as they were told. */
const plainDecimal = /^(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/
/** Digits of a decimal that a number holds, and can be divided by the base, exactly. */
const exactDigits = 15
const exact = 10 ** exactDigits
/** Digits of ours that a number holds exactly: 57 to the ninth is less than 2 to the 53rd. */
const exactCells = 9

/** `width.scale.cells`: digits a cell, and how many of its decimals stand behind the point. `,` and decimals between commas for what is no such. */
export function packColumn(cells: readonly (number | null)[] | readonly (string | null)[]): string {
  let scale = 0
  for (const cell of cells) {
    if (typeof cell !== 'string') {
      if (cell !== null && !(Number.isSafeInteger(cell) && cell >= 0)) return asTold(cells)
      continue
    }
    if (!plainDecimal.test(cell)) return asTold(cells)
    const point = cell.indexOf('.')
    if (point >= 0) scale = Math.max(scale, cell.length - point - 1)
  }
  let most: number | bigint = 0
  const values = cells.map((cell) => {
    const whole = typeof cell === 'number' && cell > exact ? BigInt(cell) : cell
    const value = typeof whole === 'string' ? scaled(whole, scale) : whole
    if (value !== null && value > most) most = value
    return value
  })
  const width = widthOf(most)
  const codes = new Uint8Array(cells.length * width)
  values.forEach((value, row) => {
    const from = row * width
    if (value === null) codes.fill(nothing, from, from + width)
    else write(codes, from, width, value)
  })
  return `${width}.${scale}.${new TextDecoder('latin1').decode(codes)}`
}

const asTold = (cells: readonly (number | string | null)[]): string => `,${cells.join(',')}`

/** Without its point, as if it had so many decimals. */
function scaled(decimal: string, scale: number): number | bigint {
  const point = decimal.indexOf('.')
  const digits = point < 0 ? decimal.length : decimal.length - 1
  const more = scale - (point < 0 ? 0 : digits - point)
  if (digits + more > exactDigits) return BigInt(decimal.replace('.', '') + '0'.repeat(more))
  let value = 0
  for (let at = 0; at < decimal.length; at += 1) if (at !== point) value = value * 10 + decimal.charCodeAt(at) - 48
  return value * 10 ** more
}

function widthOf(most: number | bigint): number {
  let width = 1
  for (let rest = BigInt(most) / BigInt(base); rest > 0n; rest /= BigInt(base)) width += 1
  return width
}

function write(codes: Uint8Array, from: number, width: number, value: number | bigint): void {
  let at = from + width - 1
  let rest = value
  for (; typeof rest === 'bigint' && rest > exact && at >= from; at -= 1) {
    codes[at] = zero + Number(rest % BigInt(base))
    rest /= BigInt(base)
  }
  for (let left = Number(rest); at >= from; at -= 1) {
    const next = Math.floor(left / base)
    codes[at] = zero + left - next * base
    left = next
  }
}

/** @param read what a cell is, from the text that it was told as */
export function columnOf<T extends number | string>(packed: string, read: (reported: string) => T): Column<T> {
  if (packed.startsWith(',')) return columnAsTold(packed, read)
  const [width, scale, start] = head(packed)
  const rows = (packed.length - start) / width
  let made: (number | null)[] | null = null
  return {
    at(row) {
      const from = start + row * width
      if (row < 0 || row >= rows || packed.charCodeAt(from) === nothing) return null
      const digits = width <= exactCells ? String(number(packed, from, width)) : String(whole(packed, from, width))
      return read(scale === 0 ? digits : pointed(digits, scale))
    },
    numbers() {
      if (made) return made
      made = []
      const unit = 10 ** scale
      for (let from = start; from < packed.length; from += width) {
        made.push(packed.charCodeAt(from) === nothing ? null : number(packed, from, width) / unit)
      }
      return made
    },
  }
}

function head(packed: string): [width: number, scale: number, start: number] {
  const first = packed.indexOf('.')
  const second = packed.indexOf('.', first + 1)
  return [Number(packed.slice(0, first)), Number(packed.slice(first + 1, second)), second + 1]
}

function number(packed: string, from: number, width: number): number {
  let value = 0
  for (let at = from; at < from + width; at += 1) value = value * base + packed.charCodeAt(at) - zero
  return value
}

function whole(packed: string, from: number, width: number): bigint {
  let value = 0n
  for (let at = from; at < from + width; at += 1) value = value * BigInt(base) + BigInt(packed.charCodeAt(at) - zero)
  return value
}

function pointed(digits: string, scale: number): string {
  const padded = digits.padStart(scale + 1, '0')
  const fraction = padded.slice(-scale).replace(/0+$/, '')
  return fraction === '' ? padded.slice(0, -scale) : `${padded.slice(0, -scale)}.${fraction}`
}

function columnAsTold<T extends number | string>(packed: string, read: (reported: string) => T): Column<T> {
  let made: string[] | null = null
  const cells = (): string[] => {
    made ??= packed.slice(1).split(',')
    return made
  }
  return {
    at(row) {
      const cell = cells()[row] ?? ''
      return cell === '' ? null : read(cell)
    },
    numbers: () => cells().map((cell) => (cell === '' ? null : Number(cell))),
  }
}
