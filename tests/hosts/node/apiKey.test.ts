import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { keySourceFault, readApiKey } from '../../../src-main/hosts/node/apiKey.ts'
import { startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { openPage } from './fixtures/page.ts'
import { environmentOf, gather, studioEntry } from './fixtures/process.ts'

const folder = temporaryFolder('studio-key-')
const key = 'sk-canary-2f0c7d11a4'
let files = 0

function keyFile(text = `${key}\n`, mode = 0o600): string {
  const path = join(folder, `key-${++files}`)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}
const bad = (words: RegExp) => ({ kind: 'bad_input', message: expect.stringMatching(words) })

describe('--api-key-file', () => {
  it('reads a file of this user alone, also through a link', async () => {
    const path = keyFile()
    const link = join(folder, 'link')
    symlinkSync(path, link)
    for (const apiKeyFile of [path, link]) expect(await readApiKey({ apiKeyFile })).toBe(key)
    expect(await readApiKey({ apiKeyFile: keyFile(key, 0o400) })).toBe(key)
  })

  it.runIf(process.getuid !== undefined).each([0o644, 0o640, 0o604, 0o660, 0o620])(
    'refuses a file that others can use (mode %o), and says what to do',
    async (mode) => {
      const refused = readApiKey({ apiKeyFile: keyFile(key, mode) })
      await expect(refused).rejects.toMatchObject(bad(/other users of this computer can read .*chmod 600/))
    },
  )

  it.runIf(process.getuid?.() === 0)('refuses a file of another user', async () => {
    const path = keyFile()
    chownSync(path, 65_534, 65_534)
    await expect(readApiKey({ apiKeyFile: path })).rejects.toMatchObject(bad(/belongs to another user/))
  })

  it('names what is wrong with a file, and never its text', async () => {
    mkdirSync(join(folder, 'dir'))
    for (const [path, words] of [
      [join(folder, 'dir'), /is a folder/],
      [join(folder, 'none'), /no such file/],
      [keyFile(''), /contains no API key/],
      [keyFile(' \n'), /contains no API key/],
      [keyFile(key.repeat(1000)), /too long/],
    ] as const) {
      const refused = readApiKey({ apiKeyFile: path })
      await expect(refused).rejects.toMatchObject(bad(words))
      await expect(refused).rejects.not.toThrow(key)
    }
  })
})

describe('--api-key-fd', () => {
  it('reads an open descriptor and closes it, so that no started program inherits it', async () => {
    const apiKeyFd = openSync(keyFile(`${key}\n`), 'r')
    expect(await readApiKey({ apiKeyFd })).toBe(key)
    await expect.poll(() => isOpen(apiKeyFd)).toBe(false)
  })

  it('names a descriptor that is not open', async () => {
    const apiKeyFd = openSync('/', 'r')
    closeSync(apiKeyFd)
    await expect(readApiKey({ apiKeyFd })).rejects.toMatchObject({
      message: expect.stringContaining(`${apiKeyFd} can’t be read`),
    })
  })
})

function isOpen(descriptor: number): boolean {
  try {
    fstatSync(descriptor)
    return true
  } catch {
    return false
  }
}

it('only one source of the key can be named, and only with the URL of its service', () => {
  expect(keySourceFault({}, false)).toBe(null)
  expect(keySourceFault({ apiKeyFile: 'x' }, true)).toBe(null)
  expect(keySourceFault({ apiKeyFd: 3 }, false)).toBe('--api-key-fd needs --base-url.')
  expect(keySourceFault({ apiKeyFile: 'x', apiKeyEnv: 'Y' }, true)).toMatch(/^--api-key-file and --api-key-env can/)
})

describe('a whole serve', () => {
  const closers: (() => unknown)[] = []
  afterAll(async () => {
    for (const close of closers.splice(0)) await close()
  })

  it.runIf(process.platform === 'linux')(
    'has the key of a pipe in no command line, environment or descriptor, and keeps it over a restart',
    async () => {
      const service = await startSandbox({ apiKey: key })
      closers.push(() => service.close())
      const args = ['serve', '--json', '--web-port', '0', '--no-api', '--data-dir', join(folder, 'data')]
      const child = spawn(
        process.execPath,
        [studioEntry, ...args, '--base-url', service.baseUrl, '--api-key-fd', '3'],
        {
          env: environmentOf({ HOME: folder }),
          stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
        },
      )
      const host = gather(child as Parameters<typeof gather>[0])
      closers.push(async () => {
        child.kill('SIGKILL')
        await host.ended
      })
      const pipe = child.stdio[3]
      if (!(pipe && 'end' in pipe)) throw new Error('The child has no pipe.')
      pipe.end(`${key}\n`)
      const { web } = JSON.parse(await host.line())
      for (const name of ['cmdline', 'environ'])
        expect(readFileSync(`/proc/${child.pid}/${name}`, 'utf8')).not.toContain(key)
      const page = openPage(() => web.url)
      closers.push(() => page.close())
      const connected = async () => {
        for await (const { connection } of await page.client.app.watch())
          if (connection.state !== 'checking') return connection.state
      }
      expect(await connected()).toBe('connected')
      await page.client.data.restart()
      await expect.poll(() => connected().catch(() => null), { timeout: 20_000 }).toBe('connected')
    },
  )
})
