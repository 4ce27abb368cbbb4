import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openConnections } from '../../../../src-main/core/features/connections/savedConnections.ts'
import { migrations } from '../../../../src-main/core/store/migrations/index.ts'
import { databaseFile, openStore } from '../../../../src-main/core/store/store.ts'
import { eventually } from '../../../helpers/eventually.ts'
import { freshFolder, memorySecrets } from '../../helpers/core.ts'
import { open, service } from './helpers.ts'

describe('connections', () => {
  it('are added, named, changed and deleted; no other one becomes active when the active one is deleted', async () => {
    const [red, blue] = [await service('red'), await service('blue')]
    const secrets = memorySecrets()
    const world = await open({ secrets })
    const { core, client } = world
    await core.connection.login({ baseUrl: red.baseUrl, key: red.apiKey })
    await core.connection.login({ baseUrl: red.baseUrl, key: red.keys.stranger })
    const host = new URL(red.baseUrl).host
    expect(core.state().profiles.map(({ name }) => name)).toEqual([host, `${host} 2`])
    const [first, second] = core.state().profiles
    expect(secrets.kept.get(first?.id ?? '')).toBe(red.apiKey)
    expect(secrets.kept.get(second?.id ?? '')).toBe(red.keys.stranger)

    await expect(client.connection.rename({ id: first?.id ?? '', name: `${host} 2` })).rejects.toMatchObject({
      data: { kind: 'bad_input' },
    })
    await client.connection.rename({ id: first?.id ?? '', name: 'Red' })
    const wrong = core.connection.login({ name: 'rED', baseUrl: blue.baseUrl, key: blue.apiKey })
    await expect(wrong).rejects.toMatchObject({ kind: 'bad_input' })

    // The same name is the same connection, with another address and API key.
    await core.connection.login({ name: 'Red', baseUrl: blue.baseUrl, key: blue.apiKey, updateExisting: true })
    expect(world.profile('Red')).toMatchObject({ id: first?.id, baseUrl: blue.baseUrl, active: true })
    expect(secrets.kept.get(first?.id ?? '')).toBe(blue.apiKey)

    await client.connection.remove({ id: first?.id ?? '' })
    expect(core.state().connection).toMatchObject({ state: 'none', profile: null })
    expect([...secrets.kept.values()]).toEqual([red.keys.stranger])
    expect(core.state().profiles).toMatchObject([{ id: second?.id, active: false }])
    await client.connection.use({ id: second?.id ?? '' })
    await eventually(() => expect(core.state().connection.state).toBe('connected'))
    await core.connection.logout()
    expect([core.state().profiles, secrets.kept.size]).toEqual([[], 0])
  })

  it('are not deleted while the keychain is locked, because the API key would stay there', async () => {
    const red = await service('red')
    const secrets = memorySecrets()
    const { core, client } = await open({ secrets })
    await core.connection.login({ name: 'Red', baseUrl: red.baseUrl, key: red.apiKey })
    secrets.delete = () => Promise.reject(Object.assign(new Error('locked')))
    await expect(client.connection.remove({ id: core.state().profiles[0]?.id ?? '' })).rejects.toThrow()
    expect(core.state()).toMatchObject({ connection: { state: 'connected' }, profiles: [{ name: 'Red' }] })
  })

  it('include one sandbox, which can be opened again after it was deleted', async () => {
    const red = await service('red')
    const { core, client, profile, use } = await open()
    await core.connection.login({ name: 'Red', baseUrl: red.baseUrl, key: red.apiKey })
    await client.connection.useSandbox()
    const address = core.state().connection.profile?.baseUrl
    await use('Red')
    expect(core.state().connection.profile?.name).toBe('Red')
    await use('Sandbox')
    expect(core.state().connection).toMatchObject({
      state: 'connected',
      profile: { kind: 'sandbox', baseUrl: address },
    })
    expect(core.state().profiles).toHaveLength(2)
    expect(profile('Sandbox').active).toBe(true)
  })

  it('of a service without account names have separate usage, also after a restart', async () => {
    const server = createServer((request, response) => {
      const isList = request.url === '/v1/models'
      response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isList ? { object: 'list', data: [] } : { error: { message: 'No such thing.' } }))
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    onTestFinished(() => void server.close())
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const [dataDir, secrets] = [freshFolder(), memorySecrets()]
    const first = await open({ dataDir, secrets })
    await first.core.connection.login({ name: 'a', baseUrl, key: 'sk-of-a-local-one' })
    await first.core.connection.login({ name: 'b', baseUrl, key: 'sk-of-another-one' })
    const ids = ['a', 'b'].map((name) => first.profile(name).accountId)
    expect(new Set(ids).size).toBe(2)
    await first.core.stop()
    const again = await open({ dataDir, secrets })
    expect(['a', 'b'].map((name) => again.profile(name).accountId)).toEqual(ids)
    // After a profile is deleted, the next one at its address gets its usage.
    await again.client.connection.remove({ id: again.profile('a').id })
    await again.core.connection.login({ name: 'c', baseUrl, key: 'sk-of-a-local-one' })
    expect(again.profile('c').accountId).toBe(ids[0])
  })
})

describe('the command line beside a running core', () => {
  it('changes the active connection, and the core follows; deletes it, and none is active', async () => {
    const [red, blue] = [await service('red'), await service('blue')]
    const secrets = memorySecrets()
    const { core, dataDir } = await open({ secrets })
    await core.connection.login({ name: 'Red', baseUrl: red.baseUrl, key: red.apiKey })
    await core.connection.login({ name: 'Blue', baseUrl: blue.baseUrl, key: blue.apiKey })
    const beside = openConnections(dataDir)
    onTestFinished(beside.close)
    expect(beside.list().map(({ name, active }) => [name, active])).toEqual([
      ['Blue', true],
      ['Red', false],
    ])
    beside.use('red')
    await eventually(() =>
      expect(core.state().connection).toMatchObject({ state: 'connected', profile: { name: 'Red' } }),
    )
    expect(() => beside.use('green')).toThrow(expect.objectContaining({ kind: 'no_such_item' }))
    await beside.forget('Red', secrets)
    await eventually(() => expect(core.state().connection).toMatchObject({ state: 'none', profile: null }))
    expect([...secrets.kept.values()]).toEqual([blue.apiKey])
  })

  it('starts with a stored connection for one run, without changing the active one', async () => {
    const [red, blue] = [await service('red'), await service('blue')]
    const [dataDir, secrets] = [freshFolder(), memorySecrets()]
    const first = await open({ dataDir, secrets })
    await first.core.connection.login({ name: 'Red', baseUrl: red.baseUrl, key: red.apiKey })
    await first.core.connection.login({ name: 'Blue', baseUrl: blue.baseUrl, key: blue.apiKey })
    await first.core.stop()
    const run = await open({ dataDir, secrets, options: { connect: { profile: 'red' } } })
    expect(run.core.state().connection.profile?.name).toBe('Red')
    await run.core.stop()
    await expect(open({ dataDir, secrets, options: { connect: { profile: 'green' } } })).rejects.toMatchObject({
      kind: 'no_such_item',
    })
    const after = await open({ dataDir, secrets })
    await eventually(() => expect(after.core.state().connection.profile?.name).toBe('Blue'))
  })
})

it('a database from before several connections existed keeps its connections and their models', () => {
  const dataDir = freshFolder()
  const old = new DatabaseSync(databaseFile(dataDir))
  const at = migrations.findIndex((sql) => sql.includes('lists_of_profiles'))
  for (const sql of migrations.slice(0, at)) old.exec(sql)
  const row = "'https://a.example', 'keychain', 0, 1, '2026-01-01T00:00:00.000Z'"
  old.exec(`PRAGMA application_id = ${0x49537475}; PRAGMA user_version = ${at};
    INSERT INTO profiles VALUES ('p1', 'Mine', 'service', ${row});
    INSERT INTO profiles VALUES ('p2', 'Sandbox', 'sandbox', 'http://127.0.0.1:9', 'sandbox', 0, 0, '2026-01-01T00:00:00.000Z');
    INSERT INTO model_lists VALUES ('https://a.example', '[{"id":"m","created":null,"ownedBy":null}]', '2026-01-02T00:00:00.000Z')`)
  old.close()
  const store = openStore(dataDir)
  onTestFinished(store.close)
  expect(store.profiles.all().map(({ id }) => id)).toEqual(['p1', 'p2'])
  expect(store.profiles.active()).toMatchObject({ id: 'p1', keyKept: 'keychain' })
  expect(store.modelLists.find({ profile: 'p1', baseUrl: 'https://a.example' })?.models).toMatchObject([{ id: 'm' }])
  expect(store.modelLists.find({ profile: 'p3', baseUrl: 'https://a.example' })).toBeNull()
  expect(store.modelLists.find({ profile: 'p1', baseUrl: 'https://b.example' })).toBeNull()
})
