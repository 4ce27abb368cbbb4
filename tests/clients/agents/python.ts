import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setups } from '../../../src-renderer/features/proxy/setups/index.ts'
import { installPython } from './install.ts'
import { runShell, shellWord } from './shell.ts'
import type { Studio } from './studio.ts'
import type { Result } from './trial.ts'

const version = '3.22.1'

/** Runs the unchanged text for Python with the installed Python and the official package in a separate folder. */
export async function tryPython(studio: Studio, home: string, folder: string): Promise<Result> {
  const from = performance.now()
  const setup = setups.find(({ id }) => id === 'openai-python')
  if (!setup || !('steps' in setup)) throw new Error('There is no set-up for Python.')
  const result = (outcome: Result['outcome'], detail: string): Result => ({
    setup: setup.id,
    name: setup.name,
    package: 'openai (PyPI)',
    version,
    outcome,
    detail,
    trials: [],
    seconds: Math.round((performance.now() - from) / 100) / 10,
  })
  const missing = installPython(folder, `openai==${version}`)
  if (missing) return result('not run', missing)
  mkdirSync(home, { recursive: true })
  const { key } = await studio.command(['apps', 'add', 'python'], home)
  const [step] = setup.steps({ baseUrl: studio.baseUrl, key: String(key), model: 'mirror' })
  const before = studio.exchanges.length
  writeFileSync(join(home, 'hello.py'), step?.text ?? '')
  const ran = await runShell(`${shellWord(join(folder, 'bin', 'python'))} hello.py`, home, {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
  })
  const passed = studio.exchanges.slice(before)
  if (ran.code !== 0) return result('fails', `exit ${ran.code}: ${ran.stderr.trim().slice(-300)}`)
  if (passed.length !== 1 || passed[0]?.body?.stream !== true || !passed[0].whole) {
    return result('fails', `${passed.length} requests passed`)
  }
  if (!ran.stdout.includes('Hello')) return result('fails', `the reply was not printed: ${ran.stdout.slice(0, 300)}`)
  return result('works', 'a streamed reply, printed as it came, exit 0')
}
