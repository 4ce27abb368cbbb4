import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { node24, root } from '../../resources/scripts/ready.mjs'
import { serveOnFreePorts } from '../../resources/scripts/serveArguments.mjs'
import { type Sandbox, startSandbox } from '../../src-main/sandbox/sandbox.ts'

export interface Ready {
  web: { url: string } | null
  proxy: { baseUrl: string } | null
  sandbox: { baseUrl: string; apiKey: string } | null
  dataDir: string
}

export interface WebHost {
  ready: Ready
  /** The printed URL with its token. */
  url: string
  /** Standard output and standard error so far. */
  output(): string
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
  /** SIGKILL: the host cannot clean up. */
  kill(): Promise<void>
}

const running = new Set<ChildProcess>()
const folders: string[] = []
const sandboxes: Sandbox[] = []

export function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'studio-e2e-'))
  folders.push(folder)
  return folder
}

function emptyHome(): Record<string, string> {
  const home = newDataDir()
  return { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: join(home, '.config') }
}

/** A sandbox that `closeHosts` closes. */
export async function openSandbox(options?: Parameters<typeof startSandbox>[0]): Promise<Sandbox> {
  const sandbox = await startSandbox(options)
  sandboxes.push(sandbox)
  return sandbox
}

/** A browser for `serve --open` that only tells which address it was given. */
export function tellingBrowser(): { env: Record<string, string>; address(): Promise<string> } {
  const folder = newDataDir()
  const opened = join(folder, 'opened')
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > ${opened}.new && mv ${opened}.new ${opened}\n`)
  chmodSync(join(folder, 'xdg-open'), 0o755)
  return {
    env: { DISPLAY: ':99', PATH: `${folder}:/usr/bin:/bin` },
    async address() {
      while (!existsSync(opened)) await new Promise((resolve) => setTimeout(resolve, 20))
      return readFileSync(opened, 'utf8')
    },
  }
}

/** Starts the built `serve` command on free ports and waits for its ready line. */
export async function openWebHost(
  dataDir: string,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<WebHost> {
  const child = spawn(
    node24(),
    [join(root, 'out/main/node.js'), ...serveOnFreePorts(dataDir), ...args],
    // Without a session bus there is no keychain, and in a home of its own there are no programs to connect, on every machine.
    {
      env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: '', DISPLAY: '', ...emptyHome(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  running.add(child)
  let output = ''
  child.stderr.on('data', (bytes: Buffer) => {
    output += bytes
  })
  child.stdout.on('data', (bytes: Buffer) => {
    output += bytes
  })
  const exited = once(child, 'exit').then(() => {
    running.delete(child)
  })
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(() => {
      throw new Error(`serve ended before it was ready: ${output}`)
    }),
  ])) as [string]
  const ready = JSON.parse(line) as Ready
  return {
    ready,
    url: ready.web?.url ?? '',
    output: () => output,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
      return child.exitCode
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** A host with a new data folder that is connected from its start, for tests that do not test connecting. */
export const openConnectedHost = (
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  env: Record<string, string> = {},
): Promise<WebHost> => openWebHost(newDataDir(), ['--base-url', baseUrl], { INFERENCE_STUDIO_API_KEY: apiKey, ...env })

/** Stops the hosts that a test left running, removes their folders, and closes the sandboxes. */
export async function closeHosts(): Promise<void> {
  for (const child of running) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  for (const sandbox of sandboxes.splice(0)) await sandbox.close()
}
