import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Agent, quiet } from './table.ts'

/** Installs the exact version of the package into `folder` with npm, once. */
export async function installAgent(agent: Agent, folder: string): Promise<string | null> {
  const done = join(folder, 'installed')
  if (existsSync(done)) return null
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }))
  const child = spawn(
    'npm',
    ['install', '--save-exact', '--no-audit', '--no-fund', '--loglevel=error', `${agent.package}@${agent.version}`],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...quiet } },
  )
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0 || !existsSync(join(folder, 'node_modules', '.bin', agent.bin))) {
    const elsewhere = /getaddrinfo \w+ (\S+)/.exec(errors)?.[1]
    return elsewhere
      ? `its package loads a program from ${elsewhere} when it is installed, which is out of reach`
      : `npm could not install it: ${errors.trim().slice(-300)}`
  }
  writeFileSync(done, '')
  return null
}

/** Creates a virtual environment with the package in `folder`, once. Returns null, or the reason of a failure. */
export function installPython(folder: string, requirement: string): string | null {
  const done = join(folder, `${requirement}.installed`)
  if (existsSync(done)) return null
  rmSync(folder, { recursive: true, force: true })
  for (const [command, args] of [
    ['python3', ['-m', 'venv', folder]],
    [join(folder, 'bin', 'pip'), ['install', '--quiet', '--retries', '0', requirement]],
  ] as const) {
    const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: 180_000 })
    if (status !== 0) return `${requirement} could not be installed: ${(error?.message ?? stderr).trim().slice(-200)}`
  }
  writeFileSync(done, '')
  return null
}
