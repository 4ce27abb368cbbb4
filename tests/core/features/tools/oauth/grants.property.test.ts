import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { StudioError } from '../../../../../src-main/core/errors.ts'
import {
  grantAccounts,
  type OAuthGrant,
  OAuthGrants,
} from '../../../../../src-main/core/features/tools/mcp/oauth/grants.ts'
import type { SecretStore } from '../../../../../src-main/core/host.ts'
import { memorySecrets } from '../../../helpers/core.ts'

const serverUrl = 'https://mcp.example/mcp'
const id = 'server'

/** The column of the database that says whether the keychain has a grant. */
function fakeColumn() {
  let issuer: string | null = null
  return {
    oauthIssuer: () => issuer,
    setOauthIssuer: (_: string, value: string | null) => {
      issuer = value
    },
  } as unknown as ConstructorParameters<typeof OAuthGrants>[0]['servers']
}

const text = fc.string({ unit: 'binary', maxLength: 5000 })
const grants: fc.Arbitrary<OAuthGrant> = fc.record({
  serverUrl: fc.constant(serverUrl),
  resource: text,
  issuer: fc.constant('https://auth.example'),
  tokenEndpoint: fc.webUrl(),
  tokenAuthMethods: fc.array(fc.string()),
  revocationEndpoint: fc.option(fc.webUrl()),
  client: fc.record({ client_id: text, redirectUrl: fc.option(fc.webUrl()) }),
  tokens: fc.option(
    fc.record({
      accessToken: text,
      refreshToken: fc.option(text),
      scope: fc.option(fc.string()),
      expiresAt: fc.option(fc.nat()),
    }),
  ),
})

/** A keychain that fails after a number of writes, like a kill. Entries are as small as those of Windows. */
function failingAfter(writes: number) {
  const inner = memorySecrets()
  let left = writes
  const secrets: SecretStore = {
    ...inner,
    async set(account, secret) {
      if (Buffer.byteLength(secret) > 2560) throw new Error('too long for the credential store of Windows')
      if (left-- <= 0) throw new StudioError('keychain_locked', 'Killed.')
      await inner.set(account, secret)
    },
  }
  return { secrets, kept: inner.kept }
}

const open = (secrets: SecretStore, servers: ReturnType<typeof fakeColumn>) =>
  new OAuthGrants({ secrets, servers, log: () => undefined })

describe('a sign-in in the keychain', () => {
  test('is read as it was written, in entries that Windows accepts, and deleted completely', async () => {
    await fc.assert(
      fc.asyncProperty(grants, grants, async (first, second) => {
        const [{ secrets, kept }, servers] = [failingAfter(1000), fakeColumn()]
        for (const grant of [first, second]) {
          expect((await open(secrets, servers).write(id, grant)).storedIn).toBe('keychain')
          expect((await open(secrets, servers).read(id, serverUrl))?.grant).toEqual(grant)
          expect(await open(secrets, servers).read(id, `${serverUrl}/other`)).toBeNull()
        }
        expect([...kept.keys()].every((account) => grantAccounts(id).includes(account))).toBe(true)
        await open(secrets, servers).delete(id)
        expect(kept.size).toBe(0)
      }),
      { numRuns: 60 },
    )
  })

  test('interrupted at any write, is the former one, the new one or none, and never a mixture', async () => {
    await fc.assert(
      fc.asyncProperty(grants, grants, fc.nat({ max: 30 }), async (first, second, writes) => {
        const [{ secrets, kept }, servers] = [failingAfter(writes), fakeColumn()]
        await open(secrets, servers).write(id, first)
        await open(secrets, servers).write(id, second)
        const read = (await open(secrets, servers).read(id, serverUrl))?.grant ?? null
        expect([first, second, null]).toContainEqual(read)
        await open(secrets, servers).delete(id)
        expect(kept.size).toBe(0)
      }),
      { numRuns: 100 },
    )
  })
})
