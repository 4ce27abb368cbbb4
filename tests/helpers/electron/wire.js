/**
 * A structured clone as JSON text, for values that cross between Node and the page. It carries plain data, dates, maps,
 * sets and bytes, and throws `DataCloneError` on everything else. Runs on both sides, so it stands alone.
 */
export function encode(value) {
  const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  const walk = (item) => {
    if (item === null || typeof item === 'string' || typeof item === 'boolean') return item
    if (typeof item === 'number')
      return Number.isFinite(item) && !Object.is(item, -0) ? item : { n: String(Object.is(item, -0) ? '-0' : item) }
    if (item === undefined) return { u: 1 }
    if (typeof item === 'bigint') return { i: String(item) }
    const kind = Object.prototype.toString.call(item).slice(8, -1)
    if (kind === 'Array') return { a: Array.from(item, walk) }
    if (kind === 'Date') return { d: item.getTime() }
    if (kind === 'Map') return { m: [...item].map(([key, entry]) => [walk(key), walk(entry)]) }
    if (kind === 'Set') return { s: [...item].map(walk) }
    if (kind === 'ArrayBuffer') return { b: base64(new Uint8Array(item)), k: kind }
    if (ArrayBuffer.isView(item))
      return { b: base64(new Uint8Array(item.buffer, item.byteOffset, item.byteLength)), k: kind }
    if (kind === 'Object') return { o: Object.entries(item).map(([key, entry]) => [key, walk(entry)]) }
    throw new DOMException(`${kind} could not be cloned.`, 'DataCloneError')
  }
  return JSON.stringify(walk(value))
}

export function decode(text) {
  const walk = (item) => {
    if (item === null || typeof item !== 'object') return item
    if ('n' in item) return Number(item.n)
    if ('u' in item) return undefined
    if ('i' in item) return BigInt(item.i)
    if ('a' in item) return item.a.map(walk)
    if ('d' in item) return new Date(item.d)
    if ('m' in item) return new Map(item.m.map(([key, entry]) => [walk(key), walk(entry)]))
    if ('s' in item) return new Set(item.s.map(walk))
    if ('o' in item) return Object.fromEntries(item.o.map(([key, entry]) => [key, walk(entry)]))
    const bytes = Uint8Array.from(atob(item.b), (letter) => letter.charCodeAt(0))
    return item.k === 'ArrayBuffer' ? bytes.buffer : new globalThis[item.k](bytes.buffer)
  }
  return walk(JSON.parse(text))
}
