/** How far away a host is: this computer, the same cable or radio cell (link-local), a private network, or anywhere else. */
export type HostPlace = 'here' | 'link' | 'private' | 'elsewhere'

/**
 * Where a connection to `host` ends. `host` is a name or an IP address, as `URL.hostname` or a name lookup returns it. The answer about a
 * name comes from the names reserved for local use (RFC 6761, 6762, 8375 and ICANN's `.internal`), and is `elsewhere` for every other name,
 * which a lookup may still resolve to this computer.
 *
 * Use it to allow something, such as plain http. To refuse something, use `canReach`, which counts more addresses.
 */
export function placeOf(host: string): HostPlace {
  const { name, bytes } = read(host)
  if (bytes === null) return placeOfName(name)
  return bytes.length === 4 ? placeOfIpv4(bytes) : placeOfIpv6(bytes)
}

/**
 * Whether a connection to `host` may end at `place`. Like `placeOf`, but counts every address that some system or gateway translates to
 * one: all of 0.0.0.0/8, and IPv6 addresses that contain an IPv4 address (RFC 4291, 6052, 3056, 4380, 5214, 2765).
 */
export function canReach(place: Exclude<HostPlace, 'elsewhere'>, host: string): boolean {
  const { bytes } = read(host)
  if (placeOf(host) === place) return true
  if (bytes === null) return false
  const inside = bytes.length === 4 ? [bytes] : embeddedIpv4(bytes)
  return inside.some((ipv4) => placeOfIpv4(ipv4) === place || (place === 'here' && ipv4[0] === 0))
}

/** The bytes of an IP address, and the IPv4 addresses that it may contain: none for a name. An IPv4-mapped address is its IPv4 address. */
export function addressBytes(host: string): number[][] {
  const { bytes } = read(host)
  if (bytes === null) return []
  if (bytes.length === 4) return [bytes]
  return startsWith(bytes, mapped) ? [bytes.slice(12)] : [bytes, ...embeddedIpv4(bytes)]
}

/** The URL parser reads decimal, octal, hexadecimal and short IPv4 addresses, and writes each address in one form. */
function read(host: string): { name: string; bytes: number[] | null } {
  // A name lookup returns IPv6 addresses without brackets, and link-local ones with the interface.
  const isBareIpv6 = host.includes(':') && !host.startsWith('[')
  const url = URL.parse(`http://${isBareIpv6 ? `[${host.split('%', 1)[0]}]` : host}/`)
  const name = (url?.hostname ?? host).toLowerCase().replace(/\.+$/, '')
  if (/^\d+(?:\.\d+){3}$/.test(name)) return { name, bytes: name.split('.').map(Number) }
  if (!name.startsWith('[')) return { name, bytes: null }
  const [before = '', after] = name.slice(1, -1).split('::')
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const [head, tail] = [groups(before), groups(after ?? '')]
  const words = [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
  return { name, bytes: words.flatMap((word) => [word >> 8, word & 255]) }
}

function placeOfName(name: string): HostPlace {
  if (name === 'localhost' || name.endsWith('.localhost')) return 'here'
  return !name.includes('.') || /\.(?:local|home\.arpa|internal)$/.test(name) ? 'private' : 'elsewhere'
}

/** @see RFC 1122 (0.0.0.0, 127.0.0.0/8), RFC 3927, RFC 1918 */
function placeOfIpv4([a = 0, b = 0, c, d]: readonly number[]): HostPlace {
  // Systems connect to the unspecified address as to themselves. Linux sends the rest of 0.0.0.0/8 to the network.
  if (a === 127 || (a === 0 && b === 0 && c === 0 && d === 0)) return 'here'
  if (a === 169 && b === 254) return 'link'
  const isPrivate = a === 10 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168)
  return isPrivate ? 'private' : 'elsewhere'
}

/** @see RFC 4291 (::, ::1, ::ffff:0:0/96, fe80::/10, fec0::/10), RFC 4193 (fc00::/7) */
function placeOfIpv6(bytes: readonly number[]): HostPlace {
  if (startsWith(bytes, mapped)) return placeOfIpv4(bytes.slice(12))
  const [a = 0, b = 0] = bytes
  if (bytes.slice(0, 15).every((byte) => byte === 0) && (bytes[15] ?? 0) <= 1) return 'here'
  if (a === 0xfe && b >= 0x80 && b < 0xc0) return 'link'
  return (a & 0xfe) === 0xfc || (a === 0xfe && b >= 0xc0) ? 'private' : 'elsewhere'
}

const zeros = (count: number): number[] => Array<number>(count).fill(0)
const mapped = [...zeros(10), 0xff, 0xff]
const startsWith = (bytes: readonly number[], prefix: readonly number[]): boolean =>
  prefix.every((byte, at) => bytes[at] === byte)

/** The IPv4 addresses that an IPv6 address may contain, by its prefix. */
function embeddedIpv4(bytes: readonly number[]): number[][] {
  const last = bytes.slice(12)
  const found: number[][] = []
  // IPv4-compatible, IPv4-mapped and IPv4-translated addresses, and NAT64.
  const prefixes = [zeros(12), mapped, [...zeros(8), 0xff, 0xff, 0, 0], [0, 0x64, 0xff, 0x9b]]
  if (prefixes.some((prefix) => startsWith(bytes, prefix))) found.push(last)
  // A local NAT64 prefix (RFC 8215) of 48, 56 or 64 bits has the address around byte 8, which is 0.
  if (startsWith(bytes, [0, 0x64, 0xff, 0x9b, 0, 1])) {
    const whole = bytes.filter((_, at) => at !== 8)
    found.push(...[6, 7, 8].map((at) => whole.slice(at, at + 4)))
  }
  if (startsWith(bytes, [0x20, 0x02])) found.push(bytes.slice(2, 6)) // 6to4
  if (startsWith(bytes, [0x20, 0x01, 0, 0])) found.push(last.map((byte) => byte ^ 0xff)) // Teredo
  if (startsWith(bytes.slice(9), [0, 0x5e, 0xfe])) found.push(last) // ISATAP
  return found
}
