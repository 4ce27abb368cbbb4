import { fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates } from 'node:tls'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ChildOfProgram } from '../../../src-main/core/shared/processWorker.ts'
import { systemNetwork } from '../../../src-main/hosts/electron/systemNetwork.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const program = new URL('../../../src-main/hosts/electron/certificates.ts', import.meta.url)
const session = { resolveProxy: async (url: string) => `PROXY for ${url}` }

function child() {
  const events = new EventEmitter()
  return Object.assign(events, {
    postMessage: vi.fn(),
    kill: vi.fn(),
    ref: vi.fn(),
    unref: vi.fn(),
    onMessage: (listener) => void events.on('message', listener),
    onEnd: (listener) => void events.once('exit', (code) => listener(`code ${code}`)),
  } satisfies ChildOfProgram)
}

describe('the certificates of the system', () => {
  function network() {
    const children: ReturnType<typeof child>[] = []
    const lines: string[] = []
    const clock = { now: 0, isQuitting: false }
    const system = systemNetwork({
      session,
      now: () => clock.now,
      isQuitting: () => clock.isQuitting,
      log: (_, line) => lines.push(line),
      fork() {
        const started = child()
        children.push(started)
        return started
      },
    })
    return { system, children, lines, clock }
  }
  /** Reads for the first time. */
  async function read(from: ReturnType<typeof network>): Promise<readonly string[]> {
    const first = from.system.certificates()
    from.children[0]?.emit('message', ['old'])
    return await first
  }

  test('are read by another process, for which the first connections wait together', async () => {
    const { system, children } = network()
    const answers = [system.certificates(), system.certificates()]
    expect(children.length).toBe(1)
    children[0]?.emit('message', ['one'])
    expect(await Promise.all(answers)).toEqual([['one'], ['one']])
    expect(children[0]?.kill).toHaveBeenCalled()
  })

  test('that take minutes are waited for 15 s, and count from the end of their reading', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { system, children } = network()
    const first = system.certificates()
    await vi.advanceTimersByTimeAsync(14_999)
    expect(await Promise.race([first, Promise.resolve('waiting')])).toBe('waiting')
    await vi.advanceTimersByTimeAsync(1)
    expect(await first).toEqual([])
    await vi.advanceTimersByTimeAsync(100_000)
    expect(await system.certificates()).toEqual([])
    children[0]?.emit('message', ['late'])
    await vi.waitFor(async () => expect(await system.certificates()).toEqual(['late']))
    expect(children.length).toBe(1)
  })

  test('are read again two minutes later, at the next connection, by one process at a time', async () => {
    const all = network()
    const { system, children, clock } = all
    const first = await read(all)
    clock.now = 120_000
    expect([await system.certificates(), children.length]).toEqual([['old'], 1])
    clock.now = 120_001
    expect(await system.certificates()).toBe(first)
    expect([await system.certificates(), children.length]).toEqual([first, 2])
    children[1]?.emit('message', ['old', 'new'])
    await vi.waitFor(async () => expect(await system.certificates()).toEqual(['old', 'new']))
    expect(children[1]?.kill).toHaveBeenCalled()
    const second = await system.certificates()
    clock.now = 300_000
    await system.certificates()
    children[2]?.emit('message', ['old', 'new'])
    await vi.waitFor(() => expect(children[2]?.kill).toHaveBeenCalled())
    expect(await system.certificates(), 'the same list while nothing has changed').toBe(second)
  })

  test.each([
    ['ends', (one: EventEmitter) => one.emit('exit', 1)],
    ['sends something else', (one: EventEmitter) => one.emit('message', { not: 'a list' })],
  ])('stay as they were when the process %s', async (_, act) => {
    const all = network()
    const { system, children, lines, clock } = all
    await read(all)
    clock.now = 200_000
    await system.certificates()
    const [, started] = children
    if (started) act(started)
    await vi.waitFor(() => expect(lines.length).toBe(1), 5_000)
    expect(await system.certificates()).toEqual(['old'])
  })

  test('that can’t be read are none, the log says so, and they are tried again two minutes later', async () => {
    const { system, children, lines, clock } = network()
    const first = system.certificates()
    children[0]?.emit('exit', 1)
    expect([await first, await system.certificates(), lines.length]).toEqual([[], [], 1])
    clock.now = 120_001
    await system.certificates()
    expect(children.length).toBe(2)
  })

  test('count when the end of their process is reported first, as may happen with its last message', async () => {
    const { system, children, lines } = network()
    const first = system.certificates()
    children[0]?.emit('exit', 0)
    setTimeout(() => children[0]?.emit('message', ['one']), 20)
    expect([await first, lines]).toEqual([['one'], []])
  })

  test('that the end of the program cuts are no warning', async () => {
    const { system, children, lines, clock } = network()
    const first = system.certificates()
    clock.isQuitting = true
    children[0]?.emit('exit', 0)
    expect([await first, lines]).toEqual([[], []])
  })

  test.runIf(process.platform === 'linux')('are those of the moment in a new process', async () => {
    const folder = temporaryFolder('studio-ca-')
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'ca.pem')
    const [one = '', two = ''] = getCACertificates('bundled')
    const read = (): Promise<string[]> => {
      const env = { ...process.env, SSL_CERT_FILE: file, SSL_CERT_DIR: folder }
      const started = fork(program, { env, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
      return new Promise((resolve) => started.once('message', (message) => resolve(message as string[])))
    }
    const length = async () => new Set(await read()).size
    writeFileSync(file, one)
    expect(await length()).toBe(1)
    writeFileSync(file, `${one}\n${two}\n`)
    expect(await length()).toBe(2)
  })
})

test('proxies are asked of Chromium for each address', async () => {
  const system = systemNetwork({ session, log: () => undefined, fork: child, isQuitting: () => false })
  expect(await system.resolveProxy('https://a.example/')).toBe('PROXY for https://a.example/')
})
