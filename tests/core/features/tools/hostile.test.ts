// @isolated It changes the environment of its process.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { mcpId } from '../../../../src-main/core/features/tools/catalogue.ts'
import { type Feature, makeFeature, problemOf, stdioScript } from './helpers.ts'

let feature: Feature
afterEach(() => feature.close())

describe('an untrusted server', () => {
  test('has a limited list: endless pages, duplicate or missing names, unusable schemas, and no fetch of other documents', {
    tags: 'long',
  }, async () => {
    feature = makeFeature({ limits: { pages: 3, backOffMs: [] } })
    const server = await feature.stdio('hostile', { name: 'Bad one' })
    const { tools, log } = await feature.state(server, (one) => one.state === 'ready' && one.log.length === 3)
    expect(tools.map(({ name }) => name)).toEqual([
      'tool 0',
      'again',
      'list0',
      'far0',
      'tool 1',
      'list1',
      'far1',
      'tool 2',
      'list2',
      'far2',
    ])
    expect(tools[0]).toMatchObject({ sentName: 'Bad_one_tool_0', fault: null })
    expect(tools[0]?.description).toHaveLength(10_000)
    expect(tools[2]?.fault).toMatch(/"type" must be "object"/)
    expect(tools[3]?.fault).toMatch(/never fetched/)
    const faulty = feature.conversation({ enabled: [mcpId(server, 'list0'), mcpId(server, 'far0')] })
    expect(feature.tools.toolsFor(faulty)).toEqual({})
    // Its requests were refused, because this program announces no capabilities.
    expect(log.sort()).toEqual(['mine-0 -32601', 'mine-1 -32601', 'mine-2 -32601'])
  })

  test('that sends an endless message is cut off, and the call fails', { tags: 'long' }, async () => {
    feature = makeFeature({ limits: { messageBytes: 2_000_000, backOffMs: [], pages: 1 } })
    const server = await feature.stdio('hostile', { name: 'Test' })
    await feature.ready(server)
    const settled = await feature.run(server, 'again', {})
    expect(settled.run).toMatchObject({ state: 'failed', notes: [expect.stringMatching(/more than 2000000 bytes/)] })
    expect((await feature.state(server, ({ state }) => state === 'failed')).problem).toMatchObject({
      kind: 'malformed_reply',
    })
  })

  test('must be allowed again after it changed a tool or its command was edited', async () => {
    feature = makeFeature()
    const server = await feature.stdio()
    await feature.ready(server)
    const echo = feature.callOf(server, 'echo', { text: '1' })
    await feature.tools.decide(echo.id, 'always')
    await feature.toolCalls.settled(echo.id)
    expect(feature.tools.state().always).toEqual([mcpId(server, 'echo')])
    const waiting = feature.reply(feature.conversation({ enabled: [mcpId(server, 'echo')] }), [])
    expect(waiting).toEqual([])
    const again = feature.callOf(server, 'echo', { text: '2' })
    expect((await feature.toolCalls.settled(again.id)).run.allowed).toBe('always')

    await feature.run(server, 'change', { to: 'Sends everything to me.' })
    await feature.state(server, ({ tools }) =>
      tools.some(({ description }) => description === 'Sends everything to me.'),
    )
    expect(feature.tools.state().always).toEqual([])
    const other = feature.callOf(server, 'echo', { text: '3' })
    await feature.run(server, 'add', { a: 1, b: 1 })
    expect(feature.toolCalls.toolMessage(other.id).run.state).toBe('awaiting')

    // The call is for this form of the tool; a decision does not apply to a later form.
    await feature.run(server, 'change', { to: 'Third.' })
    await feature.state(server, ({ tools }) => tools.some(({ description }) => description === 'Third.'))
    expect(await problemOf(feature.tools.decide(other.id, 'always'))).toMatchObject({
      message: expect.stringMatching(/has changed since it was called/),
    })
    expect(feature.tools.state().always).toEqual([])
    await feature.tools.decide(other.id, 'always')
    expect((await feature.toolCalls.settled(other.id)).text).toBe('3')

    const edited = {
      kind: 'stdio' as const,
      command: process.execPath,
      args: ['--no-warnings', stdioScript, 'good'],
      env: [],
      cwd: null,
    }
    await feature.tools.saveServer({ id: server, name: 'Test', transport: edited, timeoutSeconds: 20, secrets: {} })
    await feature.ready(server)
    expect(feature.tools.state().always).toEqual([])
  })
})

describe('secrets of a server', () => {
  const secret = 'hunter2-very-secret'

  test('are only in the keychain: not in the store, the state, the log, errors or results', async () => {
    feature = makeFeature()
    process.env.STUDIO_OWN_SECRET = 'mine'
    const server = await feature.stdio('good', { secrets: { API_TOKEN: secret, ROOT: '/some/folder' } })
    await feature.ready(server)
    delete process.env.STUDIO_OWN_SECRET
    expect(feature.secrets.kept.get(`mcp:${server}:API_TOKEN`)).toBe(secret)
    const reported = await feature.run(server, 'env', { name: 'API_TOKEN' })
    expect(reported.text).toBe('•••')
    expect((await feature.run(server, 'env', { name: 'ROOT' })).text).toBe('/some/folder')
    const names = (await feature.run(server, 'env', { name: '*' })).text.split(' ')
    expect(names).toContain('API_TOKEN')
    expect(names).not.toContain('STUDIO_OWN_SECRET')
    const { log } = await feature.state(server, (one) => one.log.length > 2)
    expect(log).toContain('API_TOKEN is •••')
    expect(JSON.stringify(feature.tools.state()) + feature.lines.join()).not.toContain(secret)
    for (const file of ['studio.sqlite', 'studio.sqlite-wal']) {
      expect(readFileSync(join(feature.folder, file)).includes(secret)).toBe(false)
    }
  })

  test('stay if a change omits them, are required if they are missing, and are deleted with the server', async () => {
    feature = makeFeature()
    const server = await feature.stdio('good', { secrets: { API_TOKEN: secret } })
    const transport = {
      kind: 'stdio' as const,
      command: process.execPath,
      args: [stdioScript],
      env: ['API_TOKEN', 'MORE'],
      cwd: null,
    }
    const save = (secrets: Record<string, string | null>, env = transport.env) =>
      feature.tools.saveServer({
        id: server,
        name: 'Test',
        transport: { ...transport, env },
        timeoutSeconds: 9,
        secrets,
      })
    expect(await problemOf(save({ API_TOKEN: null }))).toMatchObject({
      kind: 'bad_input',
      message: 'MORE needs a value.',
    })
    await save({ API_TOKEN: null, MORE: 'x' })
    expect(feature.secrets.kept.get(`mcp:${server}:API_TOKEN`)).toBe(secret)
    await save({}, ['API_TOKEN'])
    expect([...feature.secrets.kept.keys()]).toEqual([`mcp:${server}:API_TOKEN`])
    await feature.tools.removeServer(server)
    expect(feature.secrets.kept.size).toBe(0)
    expect(feature.tools.state().servers).toEqual([])
  })
})
