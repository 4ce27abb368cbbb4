import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
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
/** Root's own files are accepted from everybody. */
const chownIfRoot = (path: string): void => {
  if (process.geteuid?.() === 0) chownSync(path, 65_534, 65_534)
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
      await expect(refused).rejects.toMatchObject(
        bad(
          / \(--api-key-file\) can be read by other users of this computer.*chmod 600" on it first, or pass it with --api-key-fd 3 3<FILE/,
        ),
      )
    },
  )

  it.runIf(process.geteuid !== undefined)('refuses a file of another user, except for root', async () => {
    const path = keyFile()
    chownIfRoot(path)
    const { uid } = statSync(path)
    const user = vi.spyOn(process as { geteuid: () => number }, 'geteuid')
    onTestFinished(() => user.mockRestore())
    user.mockReturnValue(uid + 1)
    await expect(readApiKey({ apiKeyFile: path })).rejects.toMatchObject(
      bad(/belongs to another user .*own, or pass it with --api-key-fd 3 3<FILE\.$/),
    )
    user.mockReturnValue(0)
    expect(await readApiKey({ apiKeyFile: path })).toBe(key)
  })

  it('names what is wrong with a file, and never its text', async () => {
    mkdirSync(join(folder, 'dir'))
    for (const [path, words] of [
      [join(folder, 'dir'), /is a folder/],
      [join(folder, 'none'), /no such file/],
      [keyFile(''), /is empty/],
      [keyFile(' \n'), /is empty/],
      [keyFile(key.repeat(1000)), /too long/],
    ] as const) {
      const refused = readApiKey({ apiKeyFile: path })
      await expect(refused).rejects.toMatchObject(bad(words))
      await expect(refused).rejects.not.toThrow(key)
    }
  })
})

describe('--api-key-fd', () => {
  const entry = JSON.stringify(new URL('../../../src-main/hosts/node/apiKey.ts', import.meta.url).href)

  it('reads an open descriptor', async () => {
    const apiKeyFd = openSync(keyFile(`${key}\n`), 'r')
    onTestFinished(() => closeSync(apiKeyFd))
    expect(await readApiKey({ apiKeyFd })).toBe(key)
  })

  it('refuses a descriptor of Node itself, which a number is that the caller has not opened', () => {
    const script = `
      const { readApiKey } = await import(${entry})
      for (let apiKeyFd = 3; apiKeyFd < 24; apiKeyFd++)
        console.log(await readApiKey({ apiKeyFd }).catch(({ message }) => message))`
    const ended = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 60_000,
    })
    const lines = ended.stdout.trim().split('\n')
    expect([ended.status, lines.length]).toEqual([0, 21])
    for (const line of lines)
      expect(line).toMatch(/^The descriptor \d+ \(--api-key-fd\) (?:is not open|can’t be read|is empty)/)
  })

  it.runIf(process.platform === 'linux').each([
    ['standard input', 0, '(sleep 0.2; echo $KEY) | $READ 0'],
    ['a pipe', 3, '(sleep 0.2; echo $KEY) | $READ 3 3<&0 0</dev/null'],
    // bash keeps a second descriptor of the same pipe open.
    ['a process substitution', 3, '$READ 3 3< <(sleep 0.2; echo $KEY)'],
    ['a file', 3, '$READ 3 3<<< $KEY'],
  ])('reads the whole text of %s as a shell opens it', async (_, apiKeyFd, command) => {
    // Standard input as a stream, as a program may have used it before.
    const script = `process.stdin.pause()
      const { readApiKey } = await import(${entry})
      console.log(await readApiKey({ apiKeyFd: ${apiKeyFd} }).catch(({ message }) => message))`
    const env = { ...process.env, KEY: key, READ: process.execPath, SCRIPT: script }
    const line = command.replace(/\$READ \d/, '"$READ" --input-type=module -e "$SCRIPT"')
    const child = spawn('bash', ['-c', line], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    expect(await text(child.stdout)).toBe(`${key}\n`)
  })

  it('is not inherited by a program that this one starts', () => {
    const script = `process.stdout.write(require('node:child_process').spawnSync('cat', ['/dev/fd/3']).stdout)`
    const descriptor = openSync(keyFile(), 'r')
    onTestFinished(() => closeSync(descriptor))
    const ended = spawnSync(process.execPath, ['-e', script], {
      stdio: ['ignore', 'pipe', 'pipe', descriptor],
      encoding: 'utf8',
    })
    expect([ended.status, ended.stdout]).toEqual([0, ''])
  })

  it('names a descriptor that is not open', async () => {
    const apiKeyFd = openSync('/', 'r')
    closeSync(apiKeyFd)
    await expect(readApiKey({ apiKeyFd })).rejects.toMatchObject({
      message: expect.stringContaining(`${apiKeyFd} (--api-key-fd) can’t be read`),
    })
  })
})

it('only one source of the key can be named, and only with the URL of its service', () => {
  expect(keySourceFault({}, false)).toBe(null)
  expect(keySourceFault({ apiKeyFile: 'x' }, true)).toBe(null)
  expect(keySourceFault({ apiKeyFd: 3 }, false)).toBe('--api-key-fd needs --base-url.')
  expect(keySourceFault({ apiKeyFile: 'x', apiKeyEnv: 'Y' }, true)).toMatch(/^--api-key-file and --api-key-env can/)
})

describe.runIf(process.platform === 'linux')('a key that does not come', () => {
  /** A pipe without a writer, as a file. */
  function pipe(): string {
    const path = join(folder, `pipe-${++files}`)
    execFileSync('mkfifo', ['-m', '600', path])
    return path
  }

  it('is read from a pipe given as a file when it comes', async () => {
    const apiKeyFile = pipe()
    const read = readApiKey({ apiKeyFile })
    const writer = await open(apiKeyFile, 'w')
    await writer.write(`${key.slice(0, 5)}`)
    await writer.write(`${key.slice(5)}\n`)
    await writer.close()
    expect(await read).toBe(key)
  })

  it('is not waited for when it is too long already', async () => {
    const apiKeyFile = pipe()
    // Expected before the write, whose end may come later than the refusal.
    const refused = expect(readApiKey({ apiKeyFile })).rejects.toMatchObject(bad(/too long/))
    const writer = await open(apiKeyFile, 'w')
    onTestFinished(() => writer.close())
    await writer.write('x'.repeat(10_000))
    await refused
  })

  it.each([
    ['serve', ['--no-api', '--web-port', '0']],
    ['chat', ['hello']],
  ])('is no longer waited for after Ctrl-C by %s', async (command, more) => {
    const path = pipe()
    const data = ['--data-dir', join(folder, 'waiting')]
    const args = [command, ...more, ...data, '--base-url', 'http://127.0.0.1:1', '--api-key-file', path]
    const child = spawn(process.execPath, [studioEntry, ...args], {
      env: environmentOf({ HOME: folder }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'exit')
    // Succeeds as soon as the program waits for a writer.
    const writer = await vi.waitUntil(() => open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => null), {
      timeout: 20_000,
    })
    onTestFinished(() => writer.close())
    child.kill('SIGINT')
    // A shell reports this as 130.
    expect(await ended).toEqual([null, 'SIGINT'])
  })
})

describe('a whole serve', () => {
  const closers: (() => unknown)[] = []
  afterAll(async () => {
    for (const close of closers.splice(0)) await close()
  })

  it.runIf(process.platform === 'linux')(
    'has the key of a pipe in no command line and no environment, and keeps it over a restart',
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
