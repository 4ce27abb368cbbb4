/**
 * A structured clone as JSON text, for values that cross between Node and the page: plain data and bytes. Throws
 * `DataCloneError` on everything else. Both functions run in the page too, so each stands alone.
 */
export function encode(value) {
  const bytesOf = (item) => btoa(Array.from(item, (byte) => String.fromCharCode(byte)).join(''))
  const forms = {
    Undefined: () => ({ undefined: true }),
    Null: () => null,
    Boolean: (item) => item,
    String: (item) => item,
    Number: (item) => (Number.isFinite(item) ? item : { number: String(item) }),
    Array: (item) => ({ array: Array.from(item, walk) }),
    Object: (item) => ({ object: Object.entries(item).map(([key, entry]) => [key, walk(entry)]) }),
    Uint8Array: (item) => ({ bytes: bytesOf(item) }),
    ArrayBuffer: (item) => ({ buffer: bytesOf(new Uint8Array(item)) }),
  }
  function walk(item) {
    const kind = Object.prototype.toString.call(item).slice(8, -1)
    if (!Object.hasOwn(forms, kind)) throw new DOMException(`${kind} could not be cloned.`, 'DataCloneError')
    return forms[kind](item)
  }
  return JSON.stringify(walk(value))
}

export function decode(text) {
  const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  const forms = {
    undefined: () => undefined,
    number: Number,
    array: (items) => items.map(walk),
    object: (entries) => Object.fromEntries(entries.map(([key, entry]) => [key, walk(entry)])),
    bytes: bytesOf,
    buffer: (base64) => bytesOf(base64).buffer,
  }
  function walk(item) {
    if (item === null || typeof item !== 'object') return item
    const [[form, content]] = Object.entries(item)
    return forms[form](content)
  }
  return walk(JSON.parse(text))
}
