import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKeychain } from '../../src-main/hosts/keychain.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { needs } from '../helpers/programs.mjs'
import { busWithoutServices, startsKeyring } from './node/fixtures/keyring.ts'

const script = fileURLToPath(new URL('fixtures/keychain.ts', import.meta.url))
let home: string

beforeAll(() => {
  home = temporaryFolder('studio-keyring-')
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Runs the script in a separate session with the keyring in `folder`, and returns the result of each step. */
async function inSession(command: string[], folder: string): Promise<Record<string, unknown>> {
  const [program = '', ...args] = command
  const env = { PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: folder, XDG_RUNTIME_DIR: folder }
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (bytes: Buffer) => {
    stdout += bytes.toString()
  })
  child.stderr.on('data', (bytes: Buffer) => {
    stderr += bytes.toString()
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

const withKeyring = (daemon: string): string[] => [
  'dbus-run-session',
  '--',
  'sh',
  '-c',
  `${daemon} >/dev/null 2>&1; exec "$0" "$1"`,
  process.execPath,
  script,
]
const unlocked = withKeyring(startsKeyring.unlocked)
const locked = withKeyring(startsKeyring.locked)

describe('the keychain, against a real Secret Service', needs('keyring'), () => {
  it('secrets are stored, read and deleted, and a missing secret is distinguished from a locked keychain', async () => {
    expect(await inSession(unlocked, home)).toEqual({
      probe: { available: true, reason: null },
      before: null,
      set: 'done',
      get: 'sécret-1',
      replaced: 'secret-2',
      delete: 'done',
      after: null,
      deleteAgain: 'done',
    })
  })

  it('a locked keyring is reported as locked, although libsecret returns nothing', { tags: 'long' }, async () => {
    const said = await inSession(locked, home)
    expect(said).toMatchObject({ before: 'keychain_locked', set: 'keychain_locked', delete: 'keychain_locked' })
    expect(said.probe).toEqual({ available: false, reason: 'The keychain is locked. Unlock it and try again.' })
  })

  it('a keyring that was never opened is reported as locked', { tags: 'long' }, async () => {
    const fresh = temporaryFolder('studio-keyring-')
    const said = await inSession(locked, fresh)
    rmSync(fresh, { recursive: true, force: true })
    expect(said).toMatchObject({ before: 'keychain_locked', set: 'keychain_locked', delete: 'keychain_locked' })
  })

  it('a missing session bus is reported as a missing keychain', async () => {
    const said = await inSession([process.execPath, script], home)
    expect(said).toMatchObject({ before: 'keychain_missing', set: 'keychain_missing', delete: 'keychain_missing' })
    expect(said.probe).toEqual({
      available: false,
      reason: 'No keychain can be used here, because there is no D-Bus session bus.',
    })
  })

  it('an empty address of the session bus is reported as a missing keychain', async () => {
    const command = ['env', 'DBUS_SESSION_BUS_ADDRESS=', process.execPath, script]
    const said = await inSession(command, home)
    expect(said.probe).toEqual({
      available: false,
      reason: 'No keychain can be used here, because there is no D-Bus session bus.',
    })
  })

  it('a bus without a secret service is reported as a missing keychain', async () => {
    const config = join(home, 'bus.conf')
    writeFileSync(config, busWithoutServices)
    const said = await inSession(['dbus-run-session', `--config-file=${config}`, '--', process.execPath, script], home)
    expect(said).toMatchObject({ before: 'keychain_missing', set: 'keychain_missing', delete: 'keychain_missing' })
    expect(said.probe).toMatchObject({ reason: expect.stringContaining('No keychain service is running') })
  })
})

describe('the keychain library', () => {
  it("a keychain library that can't be loaded is reported as missing on first use", async () => {
    // The real library without its binaries, as on a platform without prebuilt ones.
    const copy = temporaryFolder('studio-keytar-')
    const real = createRequire(import.meta.url).resolve('keytar')
    cpSync(real, join(copy, 'keytar.cjs'))
    const keychain = createKeychain(() => createRequire(import.meta.url)(join(copy, 'keytar.cjs')))
    await expect(keychain.get('a')).rejects.toMatchObject({ kind: 'keychain_missing' })
    const { available, reason } = await keychain.probe()
    expect([available, reason]).toEqual([false, expect.stringContaining('could not be loaded')])
    rmSync(copy, { recursive: true })
  })
})
