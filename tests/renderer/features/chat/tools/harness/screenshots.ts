import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { takeScreenshots } from '../../../../harness/screenshots.ts'
import { buildSite, serveSite } from '../../../../harness/site.ts'

// Takes screenshots of every state of the tools, light and dark, wide and narrow, and reports axe violations:
//   node tests/renderer/features/chat/tools/harness/screenshots.ts FOLDER [scene]
const [folder = 'test-results/tools', only] = process.argv.slice(2)
const outDir = fileURLToPath(new URL('../../../../../../out/tools-harness', import.meta.url))
await buildSite(new URL('./main.tsx', import.meta.url), outDir)
const site = await serveSite(outDir)

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click()
const paste = JSON.stringify(
  {
    mcpServers: {
      notes: { command: 'npx', args: ['-y', 'notes-mcp', '/home/ada/a folder'], env: { NOTES_TOKEN: 'x1' } },
      weather: { type: 'http', url: 'https://weather.example/mcp', headers: { Authorization: '' } },
      files: { command: 'uvx', args: ['files'] },
      old: { type: 'sse', url: 'https://old.example/sse' },
    },
  },
  null,
  2,
)
const scenes: [name: string, query: string, act?: (page: Page) => Promise<unknown>][] = [
  ['waiting', 'scene=waiting'],
  [
    'refusing',
    'scene=waiting',
    async (page) => {
      await button(page, 'Deny…')
      await page.getByLabel('Reason (optional)').fill('Use another folder.')
    },
  ],
  [
    'working',
    'scene=working',
    async (page) => {
      await page.getByRole('radio', { name: 'JSON' }).click()
      await page.getByLabel('Result', { exact: true }).fill('{"degrees": 19,')
    },
  ],
  ['settled', 'scene=settled'],
  [
    'opened',
    'scene=settled',
    (page) =>
      page
        .getByRole('button', { name: /^Result/ })
        .first()
        .click(),
  ],
  ['faults', 'scene=faults'],
  [
    'hostile',
    'scene=hostile',
    (page) =>
      page
        .getByRole('button', { name: /^Result/ })
        .first()
        .click(),
  ],
  ['round', 'scene=round'],
  ['bound', 'scene=round&settled=1', (page) => page.getByText('Go on?').waitFor()],
  ['section', 'scene=section'],
  ['section-many', 'scene=section&tools=many'],
  ['section-none', 'scene=section&tools=none'],
  ['button', 'scene=button', (page) => button(page, /^Tools/)],
  ['settings', 'scene=settings'],
  ['settings-none', 'scene=settings&tools=none'],
  ['settings-server', 'scene=settings', (page) => button(page, /^files/)],
  ['settings-warn', 'scene=settings', (page) => page.getByRole('switch', { name: 'Turn on calendar' }).click()],
  ['settings-function', 'scene=settings', (page) => button(page, 'Add tool')],
  [
    'settings-function-bad',
    'scene=settings',
    async (page) => {
      await button(page, 'Add tool')
      await page.getByLabel('Name', { exact: true }).fill('get_weather')
      const schema = page.getByLabel('Parameters (JSON schema)')
      await schema.fill('{"type":"object","properties":{"a":{"type":"text"},"b":"string"},"required":["c"]}')
      await page.getByRole('dialog').getByRole('button', { name: 'Format' }).click()
      await page.getByRole('switch', { name: 'Strict' }).click()
      await page.getByRole('button', { name: 'Add', exact: true }).click()
    },
  ],
  [
    'settings-function-json',
    'scene=settings',
    async (page) => {
      await button(page, /^Edit get_weather/)
      await page.getByLabel('Parameters (JSON schema)').fill('{\n  "type": "object"\n  "properties": {}\n}')
    },
  ],
  [
    'settings-add-server',
    'scene=settings',
    async (page) => {
      await button(page, 'Add server')
      await page.getByLabel('Program', { exact: true }).fill('npx -y @scope/server "/home/ada/a folder"')
      await button(page, 'Add variable')
    },
  ],
  [
    'settings-add-http',
    'scene=settings',
    async (page) => {
      await button(page, 'Add server')
      await page.getByRole('radio', { name: 'Web address (HTTP)' }).click()
      await page.getByLabel('Address').fill('http://mcp.example.com/mcp')
      await button(page, 'Add header')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
    },
  ],
  [
    'settings-paste',
    'scene=settings',
    async (page) => {
      await button(page, 'Paste configuration')
      await page.getByLabel('Configuration (JSON)').fill(paste)
    },
  ],
  [
    'settings-edit',
    'scene=settings',
    async (page) => {
      await button(page, 'More for files')
      await page.getByRole('menuitem', { name: 'Edit…' }).click()
    },
  ],
]

await takeScreenshots(
  site.url,
  scenes.filter(([name]) => !only || name.includes(only)).map(([name, query, act]) => ({ name, query, act })),
  { folder, height: 900 },
)
site.close()
