import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, expectAccessibleInDark, takePictures } from './chatWorld.ts'
import { closeHosts, newDataDir, openSandbox, openWebHost, type WebHost } from './hosts.ts'
import { goToPage, quick } from './journey.ts'

let sandbox: Sandbox
let host: WebHost
let home: string

/** Files in the shapes that the documentation of these programs shows. */
const codexFile = `# Used for everything that is not said on the command line.
model = "gpt-5-codex"
model_reasoning_effort = "high"   # low, medium, high

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-server"]
`
const claudeFile = `{
  "permissions": { "allow": ["Bash(npm run lint)", "Read(~/.zshrc)"], "deny": ["Read(./.env)"] },
  "env": {
    "CLAUDE_CODE_ENABLE_TELEMETRY": "1",
    "ANTHROPIC_MODEL": "opus"
  },
  "includeCoAuthoredBy": false
}
`
/** Stands in for Claude Code: reads its settings and asks once, as \`claude --print\` does. */
const claudeProgram = `#!${process.execPath}
const { env } = JSON.parse(require('node:fs').readFileSync(require('node:path').join(process.env.HOME, '.claude/settings.json'), 'utf8'))
fetch(env.ANTHROPIC_BASE_URL + '/v1/messages', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + env.ANTHROPIC_AUTH_TOKEN, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
  body: JSON.stringify({ model: env.ANTHROPIC_MODEL, max_tokens: 50, messages: [{ role: 'user', content: process.argv.at(-1) }] }),
}).then(async (reply) => {
  console.log(reply.ok ? 'The model answered.' : await reply.text())
  process.exitCode = reply.ok ? 0 : 1
})
`
const files = { codex: '.codex/config.toml', claude: '.claude/settings.json' }
const read = (name: keyof typeof files) => readFileSync(join(home, files[name]), 'utf8')

test.beforeEach(async ({ page }) => {
  home = mkdtempSync(join(tmpdir(), 'studio-home-'))
  for (const folder of ['.codex', '.claude', '.local/bin']) mkdirSync(join(home, folder), { recursive: true })
  writeFileSync(join(home, files.codex), codexFile)
  writeFileSync(join(home, files.claude), claudeFile)
  writeFileSync(join(home, '.local/bin/claude'), claudeProgram)
  chmodSync(join(home, '.local/bin/claude'), 0o755)
  sandbox = await openSandbox({ paces: quick })
  host = await openWebHost(newDataDir(), ['--base-url', sandbox.baseUrl], {
    INFERENCE_STUDIO_API_KEY: sandbox.apiKey,
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    CODEX_HOME: '',
    CLAUDE_CONFIG_DIR: '',
  })
  await page.setViewportSize({ width: 1280, height: 860 })
  await page.goto(host.url)
  await goToPage(page, windowText('shell:pages.proxy'))
})
test.afterEach(async () => {
  await closeHosts()
  rmSync(home, { recursive: true, force: true })
})

const wizard = (page: Page) => page.getByRole('dialog', { name: 'Connect an app' })
const list = (page: Page) => page.getByRole('region', { name: windowText('programs:title') })
const row = (page: Page, name: string) => list(page).getByRole('listitem').filter({ hasText: name })
const diff = (page: Page) => page.getByRole('region', { name: windowText('programs:panel.diff') })

/** Goes through the wizard of a new app to the step with its key. */
async function toKeyStep(page: Page, name: string) {
  await page.getByRole('button', { name: 'Connect an app' }).first().click()
  await wizard(page).getByRole('searchbox').fill(name)
  await wizard(page).getByRole('searchbox').press('Enter')
  await wizard(page).getByRole('button', { name: 'Next' }).click()
  await wizard(page)
    .getByRole('button', { name: windowText('proxy:connect.createKey') })
    .click()
}

async function connect(page: Page, name: string) {
  await toKeyStep(page, name)
  await wizard(page)
    .getByRole('button', { name: windowText('programs:panel.connect'), exact: true })
    .click()
  await expect(wizard(page)).toContainText(windowText('programs:panel.done', { name }))
}

const close = (page: Page) =>
  wizard(page)
    .getByRole('button', { name: windowText('common:close') })
    .last()
    .click()

async function disconnect(page: Page, name: string) {
  await row(page, name)
    .getByRole('button', { name: windowText('programs:actions', { name }) })
    .click()
  await page.getByRole('menuitem', { name: windowText('programs:disconnect') }).click()
  const dialog = page.getByRole('dialog', { name: windowText('programs:disconnecting.title', { name }) })
  return dialog
}

test('a program is connected in one click: the change is shown first, nothing else in its file changes, and Disconnect takes it out', async ({
  page,
}) => {
  await toKeyStep(page, 'Codex CLI')
  const key = await wizard(page)
    .getByRole('textbox', { name: windowText('proxy:connect.key') })
    .inputValue()
  await expect(diff(page)).toContainText('model_provider')
  await expect(diff(page)).not.toContainText(key)
  expect(read('codex')).toBe(codexFile)
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'programs-1-diff', true)
  await wizard(page)
    .getByRole('button', { name: windowText('programs:panel.connect'), exact: true })
    .click()
  await expect(wizard(page)).toContainText(windowText('programs:panel.done', { name: 'Codex CLI' }))
  expect(read('codex')).toContain(key)
  for (const line of codexFile.split('\n').slice(4)) expect(read('codex')).toContain(line)
  expect(read('codex')).toContain('# low, medium, high')
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'programs-2-connected', true)
  await close(page)

  await expect(row(page, 'Codex')).toContainText(windowText('programs:state.connected'))
  await expectAccessible(page)
  await expectAccessibleInDark(page, 'programs-3-list')

  const dialog = await disconnect(page, 'Codex CLI')
  await expect(diff(page)).toContainText('model_provider')
  await takePictures(page, 'programs-4-disconnect', true)
  await expectAccessible(page, 'dialog[open]')
  await dialog.getByRole('button', { name: windowText('programs:disconnecting.confirm'), exact: true }).click()
  await expect(list(page)).toHaveCount(0)
  expect(read('codex')).toBe(codexFile)
})

test('a test run sends one request through the program, and shows what arrived', async ({ page }) => {
  await connect(page, 'Claude Code')
  await wizard(page)
    .getByRole('button', { name: windowText('programs:testRun') })
    .click()
  const trial = page.getByRole('dialog', { name: windowText('programs:trial.title', { name: 'Claude Code' }) })
  await trial.getByRole('button', { name: windowText('programs:trial.run'), exact: true }).click()
  await expect(trial).toContainText(windowText('programs:trial.works', { name: 'Claude Code' }))
  await expect(trial.getByRole('region', { name: windowText('programs:trial.output') })).toContainText(
    'The model answered.',
  )
  await expect(trial.getByRole('listitem')).toHaveCount(1)
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'programs-5-test-run', true)
})

test('a file that the person changed says so, and Disconnect keeps what the person wrote', async ({ page }) => {
  await connect(page, 'Claude Code')
  await close(page)
  const settings = JSON.parse(read('claude'))
  settings.env.ANTHROPIC_BASE_URL = 'https://example.com'
  settings.env.MINE = 'stays'
  writeFileSync(join(home, files.claude), JSON.stringify(settings, null, 2))
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await expect(row(page, 'Claude Code')).not.toContainText(windowText('programs:state.connected'))
  await expectAccessibleInDark(page, 'programs-6-changed')
  const dialog = await disconnect(page, 'Claude Code')
  await dialog.getByRole('button', { name: windowText('programs:disconnecting.confirm'), exact: true }).click()
  await expect(list(page)).toHaveCount(0)
  const { env, permissions } = JSON.parse(read('claude'))
  expect(env).toMatchObject({ MINE: 'stays', ANTHROPIC_MODEL: 'opus', CLAUDE_CODE_ENABLE_TELEMETRY: '1' })
  expect(env.ANTHROPIC_AUTH_TOKEN).toBeUndefined()
  expect(permissions).toEqual(JSON.parse(claudeFile).permissions)
})

test('a new key is written to the files of all programs of the app after one question', async ({ page }) => {
  await connect(page, 'Codex CLI')
  await close(page)
  const before = read('codex')
  await page
    .getByRole('article', { name: 'Codex' })
    .getByRole('button', { name: /^Actions|More/ })
    .click()
  await page.getByRole('menuitem', { name: windowText('proxy:apps.menu.rotate') }).click()
  await page.getByRole('button', { name: windowText('proxy:connect.createKey') }).click()
  const dialog = page.getByRole('dialog')
  const key = await dialog.getByRole('textbox', { name: windowText('proxy:connect.key') }).inputValue()
  await expectAccessibleInDark(page, 'programs-7-new-key')
  await dialog.getByRole('button', { name: windowText('programs:otherFiles.write') }).click()
  await expect.poll(() => read('codex')).toContain(key)
  expect(read('codex')).not.toBe(before)
})

test('a file that can’t be edited safely stays as it is, with words and one action', async ({ page }) => {
  const broken = '{ "env": { "A": 1, }, // half'
  writeFileSync(join(home, files.claude), broken)
  await toKeyStep(page, 'Claude Code')
  await expect(wizard(page).getByRole('alert')).toBeVisible()
  await expectAccessibleInDark(page, 'programs-8-unreadable')
  await expect(
    wizard(page).getByRole('button', { name: windowText('programs:panel.connect'), exact: true }),
  ).toBeDisabled()
  expect(read('claude')).toBe(broken)
})

test('each failure of a connected program has words and one action, and a test run that is ended says so', async ({
  page,
}) => {
  await connect(page, 'Claude Code')
  await close(page)
  const whole = read('claude')
  const looksAgain = () => page.evaluate(() => window.dispatchEvent(new Event('focus')))
  const failures = [
    { state: 'unreadable', action: 'checkAgain', change: () => writeFileSync(join(home, files.claude), '{ half') },
    { state: 'fileGone', action: 'again', change: () => rmSync(join(home, files.claude)) },
    { state: 'linesGone', action: 'again', change: () => writeFileSync(join(home, files.claude), '{}') },
  ] as const
  for (const { state, action, change } of failures) {
    change()
    await looksAgain()
    await expect(row(page, 'Claude Code')).toContainText(windowText(`programs:state.${state}`))
    await expect(row(page, 'Claude Code')).toContainText(windowText(`programs:about.${state}`))
    await expect(row(page, 'Claude Code').getByRole('button', { name: windowText(`programs:${action}`) })).toBeVisible()
    await expectAccessibleInDark(page, `programs-9-${state}`)
    writeFileSync(join(home, files.claude), whole)
  }
  await looksAgain()
  await expect(row(page, 'Claude Code')).toContainText(windowText('programs:state.connected'))

  writeFileSync(join(home, '.local/bin/claude'), `#!${process.execPath}\nprocess.kill(process.pid, 'SIGKILL')\n`)
  await row(page, 'Claude Code')
    .getByRole('button', { name: windowText('programs:actions', { name: 'Claude Code' }) })
    .click()
  await page.getByRole('menuitem', { name: windowText('programs:testRun') }).click()
  const trial = page.getByRole('dialog', { name: windowText('programs:trial.title', { name: 'Claude Code' }) })
  await trial.getByRole('button', { name: windowText('programs:trial.run'), exact: true }).click()
  await expect(trial).toContainText('was ended before it finished.')
  await expectAccessibleInDark(page, 'programs-10-ended')
})

test('one checkbox adds the tools: both changes are shown, the app may use tools, and they are taken out alone or with the rest', async ({
  page,
}) => {
  const stateFile = join(home, '.claude.json')
  const state = '{\n  "numStartups": 7,\n  "mcpServers": { "docs": { "command": "npx" } }\n}\n'
  writeFileSync(stateFile, state)
  const tools = wizard(page).getByRole('checkbox', { name: windowText('programs:tools.add') })
  const press = () =>
    wizard(page)
      .getByRole('button', { name: windowText('programs:panel.connect'), exact: true })
      .click()
  await toKeyStep(page, 'Claude Code')
  await expect(tools).not.toBeChecked()
  await expect(diff(page)).not.toContainText('mcpServers')
  await tools.check()
  await expect(diff(page)).toContainText('~/.claude.json')
  await expect(diff(page)).toContainText('/mcp')
  await expect(wizard(page)).toContainText(windowText('programs:panel.aboutFiles'))
  await expect(wizard(page)).toContainText(windowText('programs:tools.allows'))
  await expect(wizard(page)).toContainText(windowText('programs:tools.readsNone'))
  expect(readFileSync(stateFile, 'utf8')).toBe(state)
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'programs-11-tools', true)
  await press()
  await expect(wizard(page)).toContainText(windowText('programs:panel.done', { name: 'Claude Code' }))
  await expect(wizard(page)).not.toContainText(windowText('programs:tools.allows'))
  const { url, headers } = JSON.parse(readFileSync(stateFile, 'utf8')).mcpServers['inference-studio']
  const listed = await fetch(url, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }),
  })
  expect([listed.status, await listed.text()]).toEqual([200, expect.stringContaining('serverInfo')])
  await takePictures(page, 'programs-12-tools-connected', true)

  await tools.uncheck()
  await expect(diff(page)).toContainText('"inference-studio"')
  await press()
  await expect(wizard(page)).toContainText(windowText('programs:panel.done', { name: 'Claude Code' }))
  expect(readFileSync(stateFile, 'utf8')).toBe(state)
  await tools.check()
  await press()
  await expect(wizard(page)).toContainText(windowText('programs:panel.done', { name: 'Claude Code' }))
  await close(page)
  await expect(row(page, 'Claude Code')).toContainText(windowText('proxy:form.tools'))
  await expectAccessibleInDark(page, 'programs-13-tools-listed')
  const dialog = await disconnect(page, 'Claude Code')
  await expect(diff(page)).toContainText('~/.claude.json')
  await dialog.getByRole('button', { name: windowText('programs:disconnecting.confirm'), exact: true }).click()
  await expect(list(page)).toHaveCount(0)
  expect([read('claude'), readFileSync(stateFile, 'utf8')]).toEqual([claudeFile, state])
})
