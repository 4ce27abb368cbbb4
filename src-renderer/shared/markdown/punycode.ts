/** Constants of RFC 3492, section 5. */
const [base, tMin, tMax, skew, damp, firstBias, firstCode] = [36, 1, 26, 38, 700, 72, 128]

/** Decodes a label of a host name without its `xn--` (RFC 3492, section 6.2). Null for an invalid one. */
export function fromPunycode(label: string): string | null {
  const last = label.lastIndexOf('-')
  const points = Array.from({ length: Math.max(0, last) }, (_, n) => label.charCodeAt(n))
  let [code, at, bias] = [firstCode, 0, firstBias]
  for (let read = last < 0 ? 0 : last + 1; read < label.length; ) {
    const before = at
    for (let [weight, k] = [1, base]; ; k += base) {
      const digit = digitOf(label.charAt(read++))
      if (digit === null) return null
      at += digit * weight
      const threshold = Math.min(tMax, Math.max(tMin, k - bias))
      if (digit < threshold) break
      weight *= base - threshold
      if (at > 0x10_ff_ff * 64) return null
    }
    const count = points.length + 1
    bias = adapted(at - before, count, before === 0)
    code += Math.floor(at / count)
    at %= count
    if (code > 0x10_ff_ff) return null
    points.splice(at++, 0, code)
  }
  return String.fromCodePoint(...points)
}

function digitOf(char: string): number | null {
  if (/[a-z]/i.test(char)) return char.toLowerCase().charCodeAt(0) - 97
  return /\d/.test(char) ? Number(char) + 26 : null
}

function adapted(delta: number, count: number, first: boolean): number {
  let left = first ? Math.floor(delta / damp) : delta >> 1
  left += Math.floor(left / count)
  let k = 0
  for (; left > ((base - tMin) * tMax) >> 1; k += base) left = Math.floor(left / (base - tMin))
  return k + Math.floor(((base - tMin + 1) * left) / (left + skew))
}
