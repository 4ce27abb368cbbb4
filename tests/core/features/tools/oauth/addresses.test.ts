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
    ['https://[::ffff:127.0.0.1]/', remote, false],
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
