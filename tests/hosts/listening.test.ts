import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, Server } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { listenForRedirect } from '../../src-main/core/features/tools/mcp/oauth/redirectListener.ts'
import { onUnexpected } from '../../src-main/core/shared/unexpected.ts'
import { listenOn } from '../../src-main/hosts/node/listen.ts'
import { startSandbox } from '../../src-main/sandbox/sandbox.ts'
import { createWords } from '../../src-renderer/i18n/host.ts'

// Without a listener, an 'error' event of a server ends the process. Servers emit it when a connection can't be accepted.

/** The servers that listen from now on. */
function watchServers(): Server[] {
  const servers: Server[] = []
  const { listen } = Server.prototype
  const spy = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args) {
    servers.push(this)
    return listen.apply(this, args)
  })
  onTestFinished(() => spy.mockRestore())
  return servers
}

describe('a connection that can’t be accepted, because the process has too many open files', () => {
  it.each<[string, () => Promise<() => void | Promise<void>>]>([
    [
      'the web host',
      async () => {
        const server = createServer()
        await listenOn(server, 0, false)
        return () => void server.close()
      },
    ],
    ['a sign-in', async () => (await listenForRedirect('state', 0, createWords())).close],
    [
      'the sandbox',
      async () => {
        const sandbox = await startSandbox({ port: 0 })
        return () => sandbox.close()
      },
    ],
  ])('does not end %s', async (_what, open) => {
    const servers = watchServers()
    onTestFinished(onUnexpected(() => undefined))
    onTestFinished(await open())
    expect(servers).toHaveLength(1)
    const failure = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE', syscall: 'accept' })
    for (let time = 0; time < 2; time += 1) expect(() => servers[0]?.emit('error', failure)).not.toThrow()
    expect(servers[0]?.listening).toBe(true)
  })
})

/** The first port that ordinary users may listen on. Below it, the system answers EACCES, which is not "in use". */
const firstOpenPort = (() => {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'))
  } catch {
    return 0
  }
})()

it.skipIf(firstOpenPort < 2)('a port of the system is called reserved, not in use', async () => {
  const script = `
    import { createServer } from 'node:http'
    import { listenOn } from ${JSON.stringify(new URL('../../src-main/hosts/node/listen.ts', import.meta.url).href)}
    if (process.getuid() === 0) process.setuid(65_534)
    await listenOn(createServer(), 1, false).catch((thrown) => console.log(thrown.kind, thrown.message))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const said = (await child.stdout.setEncoding('utf8').toArray()).join('')
  expect(said).toBe('port_taken Port 1 is reserved for the system. Choose another one; 0 means any free port.\n')
})
