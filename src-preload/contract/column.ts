// Encodes a column of figures as a short text. Each cell is an integer with the same number of digits, so that any cell
// can be read alone. This is half as long as decimals between commas, and cells are decoded on demand.

/** Figures of one series, by bucket. */
export interface Column<T extends number | string> {
  /** The exact decimal text; null when the series has no figure or the bucket does not exist. */
  at(bucket: number): T | null
  /** For drawing only: long amounts are rounded. */
  numbers(): readonly (number | null)[]
}

/** Code of the first digit. Digits are consecutive characters that JSON does not escape. */
const zero = 35
const base = 57
const nothing = 126

/** Decimals in canonical form. Other texts are stored unchanged. */
const plainDecimal = /^(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/
/** Decimal digits that a number represents exactly and that can be divided by the base. */
const exactDigits = 15
const exact = 10 ** exactDigits
/** Digits of this encoding that a number represents exactly: 57 to the ninth is less than 2 to the 53rd. */
const exactCells = 9

/** Encodes cells as `width.scale.cells`: digits per cell, decimal places, digits. Other texts become `,` and decimals between commas. */
export function packColumn(cells: readonly (number | null)[] | readonly (string | null)[]): string {
  let scale = 0
  for (const cell of cells) {
    if (typeof cell !== 'string') {
      if (cell !== null && !(Number.isSafeInteger(cell) && cell >= 0)) return asWritten(cells)
      continue
    }
    if (!plainDecimal.test(cell)) return asWritten(cells)
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

const asWritten = (cells: readonly (number | string | null)[]): string => `,${cells.join(',')}`

/** The decimal without its point, scaled to `scale` places. */
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

/** @param read converts the text of a cell */
export function columnOf<T extends number | string>(packed: string, read: (reported: string) => T): Column<T> {
  if (packed.startsWith(',')) return columnAsWritten(packed, read)
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

function columnAsWritten<T extends number | string>(packed: string, read: (reported: string) => T): Column<T> {
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
