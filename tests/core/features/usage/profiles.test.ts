import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { accountOfUser, knownAt } from '../../../../src-main/core/features/usage/accountIdentity.ts'
import { createUsage } from '../../../../src-main/core/features/usage/usage.ts'
import { accountFile } from '../../../../src-main/core/store/account/open.ts'
import { accountDatabase } from '../../../../src-main/core/store/account/schema.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import { freshFolder } from '../../helpers/core.ts'
import { client, openAccount, parts, placeAt } from './helpers.ts'

const at = (baseUrl: string, profile: string) => placeAt(baseUrl, profile, 'service', profile)

/** The usage feature, and a sandbox with keys of several accounts. Both end with the test. */
async function usageOfSandbox() {
  const { baseUrl, keys, close } = await startSandbox()
  onTestFinished(close)
  const feature = createUsage(parts())
  onTestFinished(() => feature.close())
  return { feature, baseUrl, keys }
}

describe('accounts of several profiles', () => {
  it('at one address: an account’s usage is never shown as another’s before the key’s owner is known', async () => {
    const { feature, baseUrl, keys } = await usageOfSandbox()
    feature.follow(client(baseUrl, keys.main), at(baseUrl, 'mine'))
    const mine = await feature.refresh()
    expect(mine.balance?.value).toBe('250')
    feature.follow(client(baseUrl, keys.stranger), at(baseUrl, 'theirs'))
    const [before] = feature.list()
    expect(before).toMatchObject({ active: true, name: 'theirs', balance: null, userId: null })
    expect(feature.limits.read()).toBeNull()
    const theirs = await feature.refresh()
    expect(theirs.id).not.toBe(mine.id)
    expect(theirs.userId).not.toBe(mine.userId)
    // Switching back shows the own account at once, even without a network.
    feature.follow(null, at(baseUrl, 'mine'))
    expect(feature.active()?.id).toBe(mine.id)
    expect(feature.list()).toHaveLength(2)
  })

  it('with two keys of one account are one account, and leave no empty one behind', async () => {
    const { feature, baseUrl, keys } = await usageOfSandbox()
    feature.follow(client(baseUrl, keys.main), at(baseUrl, 'a'))
    const first = await feature.refresh()
    feature.follow(client(baseUrl, keys.neverUsed), at(baseUrl, 'b'))
    const second = await feature.refresh()
    expect(second.id).toBe(first.id)
    expect(feature.list()).toHaveLength(1)
    expect(['a', 'b'].map((profile) => feature.accountOf({ profile, baseUrl }))).toEqual([first.id, first.id])
    // Deleting a profile deletes no usage.
    feature.forgotten('a')
    expect(feature.list()).toHaveLength(1)
    expect(feature.accountOf({ profile: 'b', baseUrl })).toBe(first.id)
  })

  it('with the same user name at two addresses are two accounts, and a sandbox’s is never a service’s', () => {
    const { accountStore } = openAccount()
    const add = (baseUrl: string, kind: 'service' | 'sandbox', userId: string | null) =>
      accountStore.accounts.add({ id: `${baseUrl} ${kind} ${userId}`, kind, baseUrl, userId, name: 'x', usedAt: 0 })
    add('https://a.example', 'service', 'u1')
    const fresh = add('https://b.example', 'service', null)
    const found = accountOfUser(accountStore, at('https://b.example', 'p'), fresh, 'u1', 1)
    expect(found).toMatchObject({ no: fresh.no, userId: 'u1', baseUrl: 'https://b.example' })
    const left = add('http://127.0.0.1:9', 'sandbox', null)
    accountStore.accounts.place({ profile: '', baseUrl: left.baseUrl }, left)
    expect(knownAt(accountStore.accounts, at(left.baseUrl, 'p'))).toBeNull()
    expect(knownAt(accountStore.accounts, placeAt(left.baseUrl, 's', 'sandbox', 's'))?.no).toBe(left.no)
  })

  it('from before profiles existed: the most recently used one is assigned to the first profile only', () => {
    const dataDir = freshFolder()
    const old = new DatabaseSync(accountFile(dataDir))
    const version = accountDatabase.migrations.findIndex((sql) => sql.includes('CREATE TABLE places'))
    for (const sql of accountDatabase.migrations.slice(0, version)) old.exec(sql)
    old.exec(`PRAGMA application_id = ${accountDatabase.applicationId}; PRAGMA user_version = ${version};
      INSERT INTO books (id, kind, base_url, user_id, name, used_at) VALUES
        ('x', 'service', 'https://a.example', 'u1', 'A', 5), ('y', 'service', 'https://a.example', 'u2', 'A', 9),
        ('z', 'service', 'https://b.example', NULL, 'B', 1)`)
    old.close()
    const { accountStore } = openAccount(dataDir)
    expect(knownAt(accountStore.accounts, at('https://a.example', 'p'))?.id).toBe('y')
    expect(knownAt(accountStore.accounts, at('https://a.example', 'q'))).toBeNull()
    expect(knownAt(accountStore.accounts, at('https://a.example', 'p'))?.id).toBe('y')
    expect(knownAt(accountStore.accounts, at('https://b.example', 'q'))?.id).toBe('z')
    expect(accountStore.accounts.of('https://a.example', 'u1')?.id).toBe('x')
  })
})
