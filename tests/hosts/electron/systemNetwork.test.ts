import { fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates } from 'node:tls'
import type { UtilityProcess } from 'electron'
import { describe, expect, test, vi } from 'vitest'
import { systemNetwork } from '../../../src-main/hosts/electron/systemNetwork.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const program = new URL('../../../src-main/hosts/electron/certificates.ts', import.meta.url)
const session = { resolveProxy: async (url: string) => `PROXY for ${url}` }
type Child = Pick<UtilityProcess, 'once' | 'kill'>

function child(): EventEmitter & Child {
  return Object.assign(new EventEmitter(), { kill: vi.fn(() => true) }) as unknown as EventEmitter & Child
}

describe('the certificates of the system', () => {
  function network(readNow: () => string[] = () => ['old']) {
    const children: (EventEmitter & Child)[] = []
    const lines: string[] = []
    const clock = { now: 0 }
    const system = systemNetwork({
      session,
      readNow,
      now: () => clock.now,
      log: (_, line) => lines.push(line),
      fork() {
        const started = child()
        children.push(started)
        return started
      },
    })
    return { system, children, lines, clock }
  }

  test('are read again two minutes later, at the next connection, by one process at a time', async () => {
    const { system, children, clock } = network()
    const first = system.certificates()
    clock.now = 120_000
    expect([system.certificates(), children.length]).toEqual([['old'], 0])
    clock.now = 120_001
    expect(system.certificates()).toBe(first)
    expect([system.certificates(), children.length]).toEqual([first, 1])
    children[0]?.emit('message', ['old', 'new'])
    await vi.waitFor(() => expect(system.certificates()).toEqual(['old', 'new']))
    expect(children[0]?.kill).toHaveBeenCalled()
    const second = system.certificates()
    clock.now = 300_000
    system.certificates()
    children[1]?.emit('message', ['old', 'new'])
    await vi.waitFor(() => expect(children[1]?.kill).toHaveBeenCalled())
    expect(system.certificates(), 'the same list while nothing has changed').toBe(second)
  })

  test.each([
    ['ends', (one: EventEmitter) => one.emit('exit', 1)],
    ['sends something else', (one: EventEmitter) => one.emit('message', { not: 'a list' })],
  ])('stay as they were when the process %s', async (_, act) => {
    const { system, children, lines, clock } = network()
    system.certificates()
    clock.now = 200_000
    system.certificates()
    const [started] = children
    if (started) act(started)
    await vi.waitFor(() => expect(lines.length).toBe(1))
    expect(system.certificates()).toEqual(['old'])
  })

  test('that can’t be read are none, and the log says so once', () => {
    const { system, lines } = network(() => {
      throw new Error('no store')
    })
    expect([system.certificates(), system.certificates(), lines.length]).toEqual([[], [], 1])
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
  const system = systemNetwork({ session, log: () => undefined, fork: child })
  expect(await system.resolveProxy('https://a.example/')).toBe('PROXY for https://a.example/')
})
