import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { node24, root } from '../../../resources/scripts/ready.mjs'
import { tapBefore } from './wire.ts'

const run = promisify(execFile)
const cli = join(root, 'out', 'main', 'node.js')

/** The built studio as a person runs it, with a sandbox, a recording relay between both, and one app key. */
export async function startStudio(dataDir: string) {
  const env = { PATH: process.env.PATH ?? '', HOME: dirname(dataDir) }
  const sandbox = await startJson(['sandbox', '--port', '0', '--json'], env)
  try {
    return await startBefore(sandbox, dataDir, env)
  } catch (thrown) {
    await sandbox.stop()
    throw thrown
  }
}

async function startBefore(sandbox: Started, dataDir: string, env: Record<string, string>) {
  const service = { address: String(sandbox.ready.baseUrl), key: String(sandbox.ready.apiKey) }
  const tap = await tapBefore(service.address)
  const serveArguments = ['serve', '--base-url', tap.url, '--api-key-env', 'SERVICE_KEY', '--data-dir', dataDir]
  const studio = await startJson([...serveArguments, '--no-web', '--api-port', '0', '--json'], {
    ...env,
    SERVICE_KEY: service.key,
  })
  const proxy = studio.ready.proxy as { baseUrl: string } | null
  if (!proxy) throw new Error('The studio came up without its local /v1.')
  const command = async (args: string[], home = env.HOME): Promise<string> =>
    (await run(node24(), [cli, ...args, '--data-dir', dataDir, '--json'], { env: { ...env, HOME: home } })).stdout
  return {
    baseUrl: proxy.baseUrl,
    serviceKey: service.key,
    exchanges: tap.exchanges,
    whenStreaming: tap.whenStreaming,
    treat: tap.treat,
    /** Runs a command of the program for a person with this HOME, and returns its JSON. */
    command: async (args: string[], home: string) => JSON.parse(await command(args, home)) as Record<string, unknown>,
    /** Rows of the studio's request log for the app, oldest first, after all of them have ended. */
    async rows(app: string): Promise<LogRow[]> {
      for (let tries = 0; ; tries += 1) {
        const lines = (await command(['requests', '--app', app, '--limit', '1000'])).split('\n')
        const rows = lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as LogRow]))
        if (rows.every(({ durationMs }) => durationMs !== null)) return rows
        if (tries === 20) throw new Error('A row of the log stays open.')
      }
    },
    async stop() {
      await studio.stop()
      await tap.close()
      await sandbox.stop()
    },
  }
}

/** The members of a log row that this test reads (src-preload/contract/requests.ts). */
export interface LogRow {
  endpoint: string
  status: number | null
  /** How often it was sent to the service. */
  attempts: number
  durationMs: number | null
  tokensIn: number | null
  tokensOut: number | null
  tokensAre: string
}

export type Studio = Awaited<ReturnType<typeof startStudio>>

type Started = Awaited<ReturnType<typeof startJson>>

/** Starts a command of this program and returns its first line, parsed as JSON. */
async function startJson(args: string[], env: Record<string, string>) {
  const child = spawn(node24(), [cli, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const ended = once(child, 'exit')
  const line: unknown = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([first]: unknown[]) => first),
    ended.then(([code]) => Promise.reject(new Error(`${args[0]} ended with ${code}: ${errors}`))),
  ])
  return { ready: JSON.parse(String(line)) as Record<string, unknown>, stop: () => stop(child, ended) }
}

async function stop(child: ChildProcess, ended: Promise<unknown>) {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
  await ended
}
