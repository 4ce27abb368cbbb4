// The encodings in which a service may echo a key, and a search for them. Independent of the product's redactor.

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0')
const each = (text: string, change: (character: string, at: number) => string): string =>
  Array.from(text, change).join('')
const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64')
const base64url = (text: string): string => Buffer.from(text, 'latin1').toString('base64url')

const percentEncoded = (text: string): string => each(text, (one) => `%${hex(one)}`)

/** Escapes of single characters. One text can mix them. */
export const characterEscapes: Record<string, (character: string) => string> = {
  none: (one) => one,
  percent: (one) => `%${hex(one)}`,
  'percent in capitals': (one) => `%${hex(one).toUpperCase()}`,
  'percent twice': (one) => `%25${hex(one)}`,
  json: (one) => `\\u00${hex(one)}`,
  'json in capitals': (one) => `\\u00${hex(one).toUpperCase()}`,
  'json in json': (one) => `\\\\u00${hex(one)}`,
  html: (one) => `&#${one.charCodeAt(0)};`,
  'html in hexadecimal': (one) => `&#x${hex(one).toUpperCase()};`,
}

/** Encodings of a whole key. They add no quote, line end or space. */
export const encodings: Record<string, (key: string) => string> = {
  raw: (key) => key,
  'percent-encoded': (key) => percentEncoded(key),
  'percent-encoded in capitals': (key) => percentEncoded(key).toUpperCase(),
  'percent-encoded in part': (key) => each(key, (one, at) => (at % 3 === 0 ? `%${hex(one)}` : one)),
  'percent-encoded twice': (key) => percentEncoded(key).replaceAll('%', '%25'),
  'json escapes': (key) => each(key, (one) => `\\u00${hex(one)}`),
  'json escapes in part': (key) => each(key, (one, at) => (at % 4 === 1 ? `\\u00${hex(one).toUpperCase()}` : one)),
  html: (key) => each(key, (one) => `&#${one.charCodeAt(0)};`),
  hexadecimal: (key) => Buffer.from(key, 'latin1').toString('hex'),
  'hexadecimal in capitals': (key) => Buffer.from(key, 'latin1').toString('hex').toUpperCase(),
  'base64, first alignment': (key) => base64(key),
  'base64, second alignment': (key) => base64(`x${key}`),
  'base64, third alignment': (key) => base64(`xy${key}`),
  'base64 of more': (key) => base64(`{"authorization":"Bearer ${key}"}`),
  'base64 of user and password': (key) => base64(`user:${key}`),
  'base64 without padding': (key) => base64(`${key}z`).replaceAll('=', ''),
  base64url: (key) => base64url(`~~~${key}`),
  'base64url, second alignment': (key) => base64url(`?${key}`),
  'base64 with its slashes escaped': (key) => base64(`?~${key}?~`).replaceAll('/', '\\/'),
  'base64, percent-encoded': (key) => encodeURIComponent(base64(`?~${key}?~`)),
}

/** Name of the encoding of the key that the bytes contain, or null. */
export function keyIn(bytes: Uint8Array | string, key: string): string | null {
  let text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('latin1')
  for (let layer = 0; layer < 4; layer++) {
    const found = plainKeyIn(text, key)
    if (found !== null) return layer === 0 ? found : `${found}, escaped`
    text = unescaped(text)
  }
  return null
}

function plainKeyIn(text: string, key: string): string | null {
  if (text.includes(key)) return 'raw'
  if (text.toLowerCase().includes(Buffer.from(key, 'latin1').toString('hex'))) return 'hexadecimal'
  for (const before of ['', 'x', 'xy']) {
    const all = base64(before + key).replaceAll('=', '')
    // The first and the last character also encode bits of the neighbouring bytes.
    const own = all.slice(before === '' ? 0 : before.length + 1, -1)
    if (text.includes(own) || text.includes(own.replaceAll('+', '-').replaceAll('/', '_'))) return 'base64'
  }
  return null
}

function unescaped(text: string): string {
  const character = (code: string): string => String.fromCharCode(Number.parseInt(code, 16))
  return text
    .replace(/\\+u00([0-9a-f]{2})/gi, (_, code: string) => character(code))
    .replace(/%([0-7][0-9a-f])/gi, (_, code: string) => character(code))
    .replace(/&#x0*([0-9a-f]{2});/gi, (_, code: string) => character(code))
    .replace(/&#(\d{2,3});/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/\\+([^bfnrtu])/g, '$1')
}
