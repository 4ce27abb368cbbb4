// @module-tag keyring
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { needs } from '../../helpers/programs.mjs'
import { type Keyring, openKeyring } from './fixtures/keyring.ts'
import { openPage } from './fixtures/page.ts'
import { commandLine, documents, type Ended, gather, studioEntry } from './fixtures/process.ts'

// Tests `login` and `logout` with the real core and a real Secret Service, which the processes share as in a session.

const canary = 'sk-canary-90ce3b17f5a2d684'
let service: Sandbox
let keyring: Keyring
const folders: string[] = []

beforeAll(async () => {
  service = await startSandbox({ apiKey: canary })
  keyring = await openKeyring()
})
afterAll(async () => {
  await keyring.close()
  await service.close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = temporaryFolder('studio-account-')
  folders.push(folder)
  return folder
}
const studio = () => commandLine(studioEntry, keyring.env)
const loginArgs = (dataDir: string) => ['login', '--json', '--base-url', service.baseUrl, '--data-dir', dataDir]

/** Starts `serve` on the folder and returns its connection after the first test of that connection. */
async function connectionIn(dataDir: string) {
  const host = studio().start(['serve', '--json', '--web-port', '0', '--no-api', '--data-dir', dataDir])
  const { web } = JSON.parse(await host.line())
  const page = openPage(() => web.url)
  try {
    for await (const { connection } of await page.client.app.watch()) {
      if (connection.state !== 'checking') return connection
    }
    throw new Error('The states ended.')
  } finally {
    page.close()
    host.child.kill('SIGTERM')
    expect((await host.ended).code).toBe(0)
  }
}

function expectNoKey(dataDir: string, ...ended: Ended[]): void {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const kept = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
  for (const text of [...kept, ...ended.flatMap(({ stdout, stderr }) => [stdout, stderr])]) {
    expect(text).not.toContain(canary)
  }
}

describe.runIf(process.platform === 'linux')('with a keychain', () => {
  it('login stores the API key in the keychain, serve and chat use it, logout deletes it', async () => {
    const dataDir = newFolder()
    const login = await studio().run([...loginArgs(dataDir), '--name', 'Mine'], {}, `${canary}\n`)
    const profile = { name: 'Mine', kind: 'service', baseUrl: service.baseUrl, keyKept: 'keychain' }
    expect([login.code, documents(login.stdout)]).toMatchObject([0, [profile]])
    expect(await connectionIn(dataDir)).toMatchObject({ state: 'connected', profile })
    const chat = await studio().run(['chat', 'Hello', '--model', 'mirror', '--json', '--data-dir', dataDir])
    expect([chat.code, documents(chat.stdout).at(-1)]).toMatchObject([0, { status: 'complete' }])
    const doctor = await studio().run(['doctor', '--ignore-warnings', '--json', '--data-dir', dataDir])
    expect(JSON.parse(doctor.stdout)).toMatchObject({
      ok: true,
      checks: expect.arrayContaining([
        { name: 'keychain', status: 'ok', detail: expect.any(String) },
        { name: 'key', status: 'ok', detail: 'accepted' },
      ]),
    })
    const logout = await studio().run(['logout', '--json', '--data-dir', dataDir])
    expect([logout.code, documents(logout.stdout)]).toEqual([0, [{ loggedOut: true }]])
    const again = await studio().run(['logout', '--json', '--data-dir', dataDir])
    expect([again.code, documents(again.stdout)]).toEqual([0, [{ loggedOut: false }]])
    expect(await connectionIn(dataDir)).toMatchObject({ state: 'none', profile: null })
    expectNoKey(dataDir, login, chat, doctor, logout)
  })

  it('each connection has its own key, and connections can be listed, switched and deleted [AUTH-03]', {
    tags: 'long',
  }, async () => {
    const dataDir = newFolder()
    const other = await startSandbox({ seed: 'other', apiKey: `${canary}-other` })
    const folder = ['--data-dir', dataDir]
    const add = (name: string, { baseUrl, apiKey }: Pick<Sandbox, 'baseUrl' | 'apiKey'>) =>
      studio().run(['login', '--json', '--base-url', baseUrl, '--name', name, ...folder], {}, apiKey)
    const connections = (...args: string[]) => studio().run(['connections', ...args, ...folder])
    const listed = async () => documents((await connections('list', '--json')).stdout)
    const [home, work] = [await add('Home', service), await add('Work', other)]
    expect([home.code, work.code]).toEqual([0, 0])
    expect(await listed()).toMatchObject([
      { name: 'Home', active: false, baseUrl: service.baseUrl, keyKept: 'keychain' },
      { name: 'Work', active: true, baseUrl: other.baseUrl, keyKept: 'keychain' },
    ])
    const table = await connections()
    expect(table.stdout).toMatch(/^\s+NAME\s+ADDRESS\s+KEY\s+ID\n\s+Home .*keychain.*\n\* +Work /)

    // A running program applies the choice. Each key is read for its own address.
    const host = studio().start(['serve', '--json', '--web-port', '0', '--no-api', ...folder])
    const { web } = JSON.parse(await host.line())
    const page = openPage(() => web.url)
    const until = async (name: string) => {
      for await (const { connection } of await page.client.app.watch()) {
        if (connection.state === 'connected' && connection.profile?.name === name) return
      }
    }
    await until('Work')
    const used = await connections('use', 'home', '--json')
    expect(documents(used.stdout)).toMatchObject([{ name: 'Home', active: true }])
    await until('Home')
    page.close()
    host.child.kill('SIGTERM')
    const served = await host.ended
    // The connection of one run does not change the stored connections.
    const doctor = await studio().run(['doctor', '--ignore-warnings', '--json', '--connection', 'Work', ...folder])
    expect(JSON.parse(doctor.stdout).checks).toContainEqual({
      name: 'baseAddress',
      status: 'ok',
      detail: `${other.baseUrl} responds`,
    })
    expect(await listed()).toMatchObject([{ active: true }, { active: false }])

    // Another login with the same name updates the key of the same connection.
    expect((await add('Home', { ...service, apiKey: service.keys.neverUsed })).code).toBe(0)
    const forgotten = await connections('forget', 'Home')
    expect(forgotten.stdout).toContain('No connection is in use now.')
    expect(await listed()).toMatchObject([{ name: 'Work', active: false }])
    expect((await connections('use', 'Home')).code).toBe(1)
    expect((await connections('use', 'Work')).code).toBe(0)
    expect(await connectionIn(dataDir)).toMatchObject({ state: 'connected', profile: { name: 'Work' } })
    expectNoKey(dataDir, home, work, table, used, served, doctor, forgotten)
    await other.close()
  })

  it('login reads the key from a variable', { tags: 'long' }, async () => {
    const dataDir = newFolder()
    const login = await studio().run([...loginArgs(dataDir), '--api-key-env', 'MINE'], { MINE: canary })
    expect(login.code).toBe(0)
    expect(await connectionIn(dataDir)).toMatchObject({ state: 'connected' })
    expectNoKey(dataDir, login)
  })

  it('logout works while the service is offline', { tags: 'long' }, async () => {
    const dataDir = newFolder()
    const gone = await startSandbox({ apiKey: canary })
    const where = ['--base-url', gone.baseUrl, '--data-dir', dataDir]
    expect((await studio().run(['login', ...where], {}, canary)).code).toBe(0)
    await gone.close()
    const { code, stdout } = await studio().run(['logout', '--data-dir', dataDir])
    expect([code, stdout]).toEqual([0, 'Deleted the connection and its API key. Chats stay.\n'])
    expect(await connectionIn(dataDir)).toMatchObject({ state: 'none' })
  })

  it('a refused key is reported, not stored, and the previous connection stays in use', { tags: 'long' }, async () => {
    const dataDir = newFolder()
    const refuse = () => studio().run(loginArgs(dataDir), {}, service.keys.revoked)
    const first = await refuse()
    expect([first.code, documents(first.stdout)]).toMatchObject([
      1,
      [{ problem: { kind: 'unauthorized', status: 401 } }],
    ])
    expect(first.stderr).toMatch(/^error: .+\n$/)
    expect(await connectionIn(dataDir)).toMatchObject({ state: 'none' })
    expect((await studio().run(loginArgs(dataDir), {}, canary)).code).toBe(0)
    expect((await refuse()).code).toBe(1)
    expect(await connectionIn(dataDir)).toMatchObject({ state: 'connected' })
  })

  it('a typed key is not shown, and Ctrl-C stores nothing', needs('terminal', 'long'), async () => {
    const dataDir = newFolder()
    const typed = async (keys: string) => {
      const command = [process.execPath, studioEntry, 'login', '--base-url', service.baseUrl, '--data-dir', dataDir]
      // util-linux's script(1) gives the command a terminal.
      const terminal = gather(
        spawn('script', ['-qec', command.join(' '), '/dev/null'], {
          env: { PATH: process.env.PATH ?? '', TERM: 'dumb', ...keyring.env },
          stdio: ['pipe', 'pipe', 'pipe'],
        }),
      )
      let shown = ''
      await new Promise<void>((resolve) => {
        terminal.child.stdout.on('data', (text: string) => {
          shown += text
          if (shown.includes('API key: ')) resolve()
        })
      })
      terminal.child.stdin.write(keys)
      return await terminal.ended
    }
    const cancelled = await typed('\u0003')
    expect([cancelled.code, cancelled.stdout]).toEqual([130, expect.stringContaining('Cancelled')])
    expect(await connectionIn(dataDir)).toMatchObject({ state: 'none' })
    const login = await typed(`${canary}\r`)
    // A terminal shows a message in lines that fit.
    expect([login.code, login.stdout.replace(/\s+/g, ' ')]).toEqual([
      0,
      expect.stringContaining(`(${service.baseUrl}). The API key is stored in the keychain.`),
    ])
    expectNoKey(dataDir, login)
  })
})
