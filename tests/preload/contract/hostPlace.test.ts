import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canReach, type HostPlace, placeOf } from '../../../src-preload/contract/hostPlace.ts'

test.each<[string, HostPlace]>([
  ...[
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    '127.0.0.1',
    '127.255.9.9',
    '0.0.0.0',
    '127.1',
    '2130706433',
    '0x7f.1',
  ].map((host): [string, HostPlace] => [host, 'here']),
  ...['::1', '[::1]', '[::]', '::', '[::ffff:127.0.0.1]', '::ffff:7f00:1'].map((host): [string, HostPlace] => [
    host,
    'here',
  ]),
  ...['169.254.169.254', '[fe80::1]', 'fe80::1%eth0', '[febf::1]'].map((host): [string, HostPlace] => [host, 'link']),
  ...[
    '10.1.2.3',
    '172.16.0.9',
    '172.31.0.9',
    '192.168.178.20',
    '[fd12::1]',
    '[fec0::1]',
    'nas',
    'box.local',
    'a.internal',
  ].map((host): [string, HostPlace] => [host, 'private']),
  ...['172.32.0.9', '192.169.0.1', '0.1.2.3', '[2001:db8::1]', '[64:ff9b::7f00:1]', '[::127.0.0.1]'].map(
    (host): [string, HostPlace] => [host, 'elsewhere'],
  ),
  ...['api.example.com', 'localhost.example', 'box.local.example', '127.0.0.1.example', ''].map(
    (host): [string, HostPlace] => [host, host === '' ? 'private' : 'elsewhere'],
  ),
])('%s is %s', (host, place) => {
  expect(placeOf(host)).toBe(place)
})

/** Node's own lists as a second opinion. BlockList counts an IPv4-mapped address as its IPv4 address. */
function listed(...subnets: [string, number][]): BlockList {
  const list = new BlockList()
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, isIP(net) === 6 ? 'ipv6' : 'ipv4')
  return list
}
const lists: [HostPlace, BlockList][] = [
  ['here', listed(['127.0.0.0', 8], ['0.0.0.0', 32], ['::1', 128], ['::', 128])],
  ['link', listed(['169.254.0.0', 16], ['fe80::', 10])],
  ['private', listed(['10.0.0.0', 8], ['172.16.0.0', 12], ['192.168.0.0', 16], ['fc00::', 7], ['fec0::', 10])],
]
const placeInLists = (address: string): HostPlace =>
  lists.find(([, list]) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'))?.[0] ?? 'elsewhere'

const byte = fc.oneof(fc.constantFrom(0, 10, 100, 127, 128, 169, 172, 192, 168, 254, 255), fc.nat(255))
const ipv4 = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join('.'))
const word = fc.oneof(fc.constantFrom(0, 1, 0xffff, 0xfe80, 0xfc00, 0xfec0, 0x64, 0xff9b, 0x2002), fc.nat(0xffff))
const ipv6 = fc
  .tuple(word, word, word, word, word, word, word, word)
  .map((words) => words.map((n) => n.toString(16)).join(':'))

test('the place of an address is the one in the lists of Node, in every form of the address', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        ipv4,
        ipv6,
        ipv4.map((address) => `::ffff:${address}`),
      ),
      (address) => {
        const host = new URL(`http://${address.includes(':') ? `[${address}]` : address}`).hostname
        expect(placeOf(address)).toBe(placeInLists(address))
        expect(placeOf(host)).toBe(placeInLists(address))
      },
    ),
  )
})

test('an IPv4 address inside an IPv6 address reaches the place of the IPv4 address', () => {
  const places = {
    '127.0.0.1': 'here',
    '127.3.2.1': 'here',
    '0.0.0.9': 'here',
    '169.254.169.254': 'link',
    '10.0.0.7': 'private',
  } as const
  for (const [address, place] of Object.entries(places)) {
    const bytes = address.split('.').map(Number)
    const hex = (from: readonly number[]): string =>
      [0, 2].map((at) => (((from[at] ?? 0) << 8) | (from[at + 1] ?? 0)).toString(16)).join(':')
    const [a = 0, b = 0, c = 0, d = 0] = bytes
    const forms = [
      ...[`::${address}`, `::ffff:${address}`, `::ffff:0:${address}`, `64:ff9b::${address}`, `64:ff9b:1::${address}`],
      ...[
        `2002:${hex(bytes)}::1`,
        `2001:0:1:2:3:4:${hex(bytes.map((one) => one ^ 0xff))}`,
        `2001:db8::5efe:${hex(bytes)}`,
      ],
      `2001:db8::200:5efe:${hex(bytes)}`,
      // RFC 6052, section 2.2: a prefix of 48 bits.
      `64:ff9b:1:${((a << 8) | b).toString(16)}:${c.toString(16)}:${(d << 8).toString(16)}:0:0`,
    ]
    for (const form of forms) expect([form, canReach(place, form)]).toEqual([form, true])
  }
  for (const far of ['8.8.8.8', '2606:4700::1111', '64:ff9b::808:808', '2002:808:808::1', 'api.example.com'])
    for (const place of ['here', 'link', 'private'] as const) expect(canReach(place, far)).toBe(false)
})
