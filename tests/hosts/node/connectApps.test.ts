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
  vi.stubEnv('CLAUDE_CONFIG_DIR', undefined)
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

it('apps connect --tools adds the MCP server and allows tools, later connections keep it, and --no-tools takes it out', async () => {
  const state = { numStartups: 3, mcpServers: { docs: { command: 'npx' } } }
  const stateFile = join(home, '.claude.json')
  writeFileSync(stateFile, JSON.stringify(state))
  const claude = (...more: string[]) => run('connect', 'Claude Code', ...more)
  const read = () => JSON.parse(readFileSync(stateFile, 'utf8'))
  expect((await claude('--model', 'one', '--tools', '--dry-run')).stdout).toContain('+++ ~/.claude.json')
  expect(read()).toEqual(state)
  const { stdout, code } = await claude('--model', 'one', '--tools', '--api-port', '9000')
  expect(code).toBe(0)
  expect(stdout).toContain(
    'Its tools (MCP) are on. Results are saved in the galleries only. Files are read from no folder.',
  )
  expect(apps()).toMatchObject([{ name: 'Claude Code', tools: true }])
  const { headers, ...server } = read().mcpServers['inference-studio']
  expect(server).toEqual({ type: 'http', url: 'http://127.0.0.1:9000/mcp' })
  expect(headers.Authorization).toMatch(/^Bearer isk_/)
  await claude('--model', 'another', '--api-port', '9000')
  expect(read().mcpServers['inference-studio'].headers).toEqual(headers)
  expect((await run('programs', '--api-port', '9000')).stdout).toContain('connected, with tools')
  await claude('--model', 'another', '--no-tools', '--api-port', '9000')
  expect(read()).toEqual(state)
  const refused = await run('connect', 'Pi', '--model', 'one', '--tools')
  expect(refused.stderr).toContain('Pi has no file to which tools can be added. Leave --tools out.')
  expect(apps()).toHaveLength(1)
})

it('apps connect --tools gives a program that keeps keys elsewhere a key for its tools', async () => {
  const file = join(home, '.config/zed/settings.json')
  await run('connect', 'zed', '--model', 'one')
  expect(readFileSync(file, 'utf8')).not.toContain('isk_')
  expect(await run('connect', 'zed', '--model', 'one', '--tools')).toMatchObject({ code: 0 })
  const key = /isk_[\w-]+/.exec(readFileSync(file, 'utf8'))?.[0]
  expect(key).toBeDefined()
  await run('connect', 'zed', '--model', 'two')
  expect(readFileSync(file, 'utf8')).toContain(key)
})
