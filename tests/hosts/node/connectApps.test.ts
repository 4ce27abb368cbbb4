import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openAppsReadOnly } from '../../../src-main/core/gateway/apps/apps.ts'
import { realParts } from '../../../src-main/hosts/node/realDependencies.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { runInProcess } from './fixtures/inProcess.ts'

let home: string
let dataDir: string
beforeEach(() => {
  home = temporaryFolder('studio-home-')
  dataDir = temporaryFolder('studio-data-')
  vi.stubEnv('HOME', home)
  vi.stubEnv('XDG_CONFIG_HOME', undefined)
  vi.stubEnv('CODEX_HOME', undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
  for (const folder of [home, dataDir]) rmSync(folder, { recursive: true, force: true })
})

const run = (...args: string[]) => runInProcess(['apps', ...args, '--data-dir', dataDir], realParts)
const codexFile = () => join(home, '.codex', 'config.toml')
const apps = () => {
  const opened = openAppsReadOnly(dataDir)
  try {
    return opened.list()
  } finally {
    opened.close()
  }
}

it('apps connect adds an app with the model map of the program, writes its file, and apps disconnect restores it', async () => {
  const mine = '# mine\nmodel = "o3"\n'
  mkdirSync(join(home, '.codex'))
  writeFileSync(codexFile(), mine)
  const preview = await run('connect', 'codex', '--model', 'maker/one', '--dry-run')
  expect(preview.stdout).toContain('-model = "o3"\n+model = "gpt-5.5"')
  expect(readFileSync(codexFile(), 'utf8')).toBe(mine)
  expect(await run('connect', 'codex', '--model', 'maker/one', '--api-port', '9000')).toMatchObject({ code: 0 })
  const [app] = apps()
  expect(app).toMatchObject({ name: 'codex', modelMap: [{ pattern: 'gpt-*', model: 'maker/one' }] })
  expect(readFileSync(codexFile(), 'utf8')).toMatch(/experimental_bearer_token = "isk_/)
  expect(readFileSync(codexFile(), 'utf8')).toContain('http://127.0.0.1:9000/v1')
  const listed = await run('programs', '--json', '--api-port', '9000')
  expect(JSON.parse(listed.stdout).connected).toMatchObject([{ program: 'codex', state: 'connected', appId: app?.id }])
  expect(await run('disconnect', 'codex')).toMatchObject({ code: 0 })
  expect(readFileSync(codexFile(), 'utf8')).toBe(mine)
})

it('apps connect gives an app that has a key already a new one, which its other programs get too', async () => {
  await run('connect', 'work', '--program', 'opencode', '--model', 'one')
  const first = readFileSync(join(home, '.config/opencode/opencode.json'), 'utf8')
  expect(await run('connect', 'work', '--program', 'codex', '--model', 'one')).toMatchObject({ code: 0 })
  const keyOf = (text: string): string => /isk_[\w-]+/.exec(text)?.[0] ?? ''
  const key = keyOf(readFileSync(codexFile(), 'utf8'))
  expect(key).not.toBe(keyOf(first))
  expect(readFileSync(join(home, '.config/opencode/opencode.json'), 'utf8')).toContain(key)
  expect(apps()).toHaveLength(1)
})

it('apps connect names the programs when none has the name of the app, and prints lines for one without a file', async () => {
  const unknown = await run('connect', 'nothing', '--model', 'one')
  expect(unknown.code).not.toBe(0)
  expect(unknown.stderr).toContain('No program is called nothing. Programs: codex, claude-code')
  const lines = await run('connect', 'goose', '--model', 'one')
  expect(lines.stdout).toContain('export GOOSE_PROVIDER=openai')
  expect(existsSync(join(home, '.config', 'goose'))).toBe(false)
  expect(apps()).toEqual([])
})
