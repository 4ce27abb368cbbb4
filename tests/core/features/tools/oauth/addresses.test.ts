import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkedAddress } from '../../../../../src-main/core/features/tools/mcp/oauth/addresses.ts'
import { scopeNames } from '../../../../../src-main/core/features/tools/mcp/oauth/challenge.ts'

const remote = 'https://mcp.example/mcp'
const local = 'http://127.0.0.1:3000/mcp'
const accepts = (address: string, server: string): boolean => {
  try {
    return checkedAddress(address, server, 'the address').href.length > 0
  } catch {
    return false
  }
}

describe('addresses of an authorization server', () => {
  test.each([
    ['https://auth.example/authorize?x=1', remote, true],
    ['https://auth.example/authorize', local, true],
    ['http://127.0.0.1:9/', local, true],
    ['http://localhost:9/', local, true],
    ['http://[::1]:9/', local, true],
    // A server elsewhere must not direct requests to this computer.
    ['http://127.0.0.1:9/', remote, false],
    ['https://localhost:9/', remote, false],
    ...[
      ...['127.9.9.9', '2130706433', '0x7f.1', '017700000001', '127.1', '0.0.0.0', '0', '0.1.2.3', '169.254.169.254'],
      ...['localhost.', 'a.localhost', 'a.LOCALHOST.', '①②⑦.0.0.1'],
      ...['[::]', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:0.0.0.0]', '[::127.0.0.1]', '[::ffff:0:127.0.0.1]'],
      ...['[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[64:ff9b:1:7f00:0:100::]', '[2002:7f00:1::]', '[2002:0:1::]'],
      ...['[2001:0:1:2:3:4:80ff:fffe]', '[2001:db8::5efe:7f00:1]', '[fe80::1]', '[::ffff:169.254.169.254]'],
    ].map((host): [string, string, boolean] => [`https://${host}/`, remote, false]),
    ['https://10.0.0.1/', remote, true],
    ['https://[2606:4700::1111]/', remote, true],
    ['https://localhost.example/', remote, true],
    ['https://127.0.0.1.nip.example/', remote, true], // the name lookup decides
    ['http://[::ffff:127.0.0.1]:9/', local, true],
    ['http://0.0.0.0:9/', local, true],
    ['http://169.254.169.254/', local, false],
    ['http://[64:ff9b::7f00:1]/', local, false],
    ['https://127.0.0.1/', 'https://169.254.1.2/mcp', false],
    ['https://169.254.1.3/', 'https://169.254.1.2/mcp', true],
    ['http://auth.example/', local, false],
    ['http://127.0.0.1.evil.example/', local, false],
    ['javascript:alert(1)', local, false],
    ['data:text/html,x', local, false],
    ['file:///etc/passwd', local, false],
    ['https://me:secret@auth.example/', remote, false],
    ['https://auth.example/#x', remote, false],
    ['/authorize', remote, false],
    ['', remote, false],
  ])('%s for a server at %s: %s', (address, server, accepted) => {
    expect(accepts(address, server)).toBe(accepted)
  })

  test('are https, whatever a server elsewhere sends', () => {
    fc.assert(
      fc.property(fc.constantFrom('http', 'https', 'ftp', 'HTTP', 'ws', ''), fc.string(), (scheme, rest) => {
        const address = scheme === '' ? rest : `${scheme}://${rest}`
        if (accepts(address, remote)) expect(new URL(address).protocol).toBe('https:')
      }),
    )
  })
})

test('names of permissions are those that the standard allows, each once, and not too many', () => {
  expect(scopeNames('read  write read "x" a\\b é \u0007 ok')).toEqual(['read', 'write', 'ok'])
  expect(scopeNames(null)).toEqual([])
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 6000 }), (scope) => {
      const names = scopeNames(scope)
      expect(names.length).toBeLessThanOrEqual(100)
      expect(new Set(names).size).toBe(names.length)
      for (const name of names) expect(name).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/)
    }),
  )
})
