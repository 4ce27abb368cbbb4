import { isIPv4, isIPv6 } from 'node:net'
import { DAY } from '../world/seed.ts'

const at = (count: number, stepMs: number) => new Date(Date.UTC(2026, 2, 14, 9, 26, 53) + (count % 50_000) * stepMs)
/** `2026-03-14T09:26:53` with enough fraction digits to reach `least` characters. */
const clock = (text: string, least: number) =>
  least > text.length + 1 ? `${text}.${'0'.repeat(Math.max(1, least - text.length - 2))}Z` : `${text}Z`

const LABEL = 'harbour'.repeat(8)
/** A host name of `length` characters (4 to 250) with labels of at most 50 (RFC 1035, 2.3.4). */
function host(length: number, count: number): string {
  const letter = String.fromCharCode(97 + (count % 26))
  let name = `${letter}.io`
  while (name.length < length) {
    const lacking = length - name.length
    name = lacking === 1 ? `h${name}` : `${LABEL.slice(0, Math.min(48, lacking - 1))}.${name}`
  }
  return name
}

type Make = (count: number, least: number, most: number) => string

const uri: Make = (count, least, most) => {
  const plain = `https://example.org/harbour${count || ''}`
  if (plain.length <= most) return plain.padEnd(least, 'x')
  return most < 12 ? `a:${(count % 1296).toString(36)}` : `http://a.io/${(count % 36).toString(36)}`.slice(0, most)
}
const email: Make = (count, least, most) => {
  const plain = `keeper${count || ''}@example.org`
  if (plain.length <= most && plain.length >= least) return plain
  const local = (count % 36).toString(36)
  return `${local}@${host(Math.max(4, Math.min(least - 2, 250)), count)}`
}
const hostname: Make = (count, least, most) => {
  const plain = count ? `pier${count}.example.org` : 'example.org'
  return plain.length <= most && plain.length >= least ? plain : host(Math.max(4, least), count)
}

/** Samples per format. `count` makes each sample unique. The bounds are lengths in characters. */
const MAKERS: Record<string, Make> = {
  date: (count) => at(count, DAY).toISOString().slice(0, 10),
  time: (count, least) => clock(at(count, 1_000).toISOString().slice(11, 19), least),
  'date-time': (count, least) =>
    clock(
      at(count, DAY + 61_000)
        .toISOString()
        .slice(0, 19),
      least,
    ),
  duration: (count, least, most) =>
    most < 5 ? `P${1 + (count % 9)}D` : `PT${String((45 + count) % 99_999).padStart(least - 3, '0')}M`,
  email,
  'idn-email': email,
  hostname,
  'idn-hostname': hostname,
  ipv4: (count, least, most) =>
    most < 9 || least > 11
      ? [0, 1, 2, 3].map((place) => (least > 11 ? 100 : 1) + ((count >> (place * 3)) % 8)).join('.')
      : `192.0.2.${(7 + count) % 256}`,
  ipv6: (count, least, most) => {
    const hex = (7 + count).toString(16)
    if (least > 14) return `2001:0db8:0000:0000:0000:0000:0000:${hex.padStart(4, '0')}`
    return most < 11 ? `::${((7 + count) % 16).toString(16)}` : `2001:db8::${hex}`
  },
  uri,
  url: uri,
  iri: uri,
  'uri-reference': uri,
  'iri-reference': uri,
  'uri-template': uri,
  uuid: (count) => `6f1c2a9e-4b7d-4c3a-9e21-${(0x0d_5b_8f_7a_6c_14 + count).toString(16).padStart(12, '0')}`,
  'json-pointer': (count, least) => `/harbour${count || ''}`.padEnd(least, 'x'),
  'relative-json-pointer': (count, least) => `0/harbour${count || ''}`.padEnd(least, 'x'),
  regex: (count, least) => `harbour${count || ''}`.padEnd(least, 'x'),
}

/** Returns sample number `count` of a format, as near to the bounds as possible, or null for an unknown format. */
export function formatSample(format: string, count: number, least: number, most: number): string | null {
  return Object.hasOwn(MAKERS, format) ? (MAKERS[format]?.(count, least, most) ?? null) : null
}

const TIME = '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)'
const HOST = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

const isUrl = (text: string) => /^[a-z][a-z0-9+.-]*:[!-~]+$/i.test(text) && URL.canParse(text)

const isEmail = (text: string) => {
  const [local = '', domain = '', ...more] = text.split('@')
  return more.length === 0 && /^\w[\w+-]{0,63}(\.[\w+-]+)*$/.test(local) && domain.includes('.') && HOST.test(domain)
}

const CHECKS: Record<string, (text: string) => boolean> = {
  date: isDate,
  time: (text) => new RegExp(`^${TIME}$`).test(text),
  'date-time': (text) => new RegExp(`^.{10}T${TIME}$`).test(text) && isDate(text.slice(0, 10)),
  duration: (text) => /^P(?=\d|T\d)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?$/.test(text),
  email: isEmail,
  'idn-email': isEmail,
  hostname: (text) => HOST.test(text),
  'idn-hostname': (text) => HOST.test(text),
  ipv4: isIPv4,
  ipv6: (text) => isIPv6(text) && !text.includes('%'),
  uri: isUrl,
  url: isUrl,
  iri: isUrl,
  uuid: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(text),
  'json-pointer': (text) => /^(\/([^~/]|~[01])*)*$/.test(text),
  'relative-json-pointer': (text) => /^(0|[1-9]\d*)(#|(\/([^~/]|~[01])*)*)$/.test(text),
  regex: (text) => {
    try {
      return new RegExp(text, 'u') instanceof RegExp
    } catch {
      return false
    }
  },
}

/** An unknown format allows any text (2020-12 Validation, 7.2.3). */
export const fitsFormat = (format: string, text: string): boolean =>
  !Object.hasOwn(CHECKS, format) || CHECKS[format]?.(text) === true
