// `npm run screenshot`: creates resources/screenshot.png for the README from the real product with its sandbox.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { startJson, stopAll } from '../../tests/bench/processes.mjs'
import { chromiumArgs, findBrowser } from '../../tests/helpers/browser.mjs'
import { buildIfNeeded, root } from './ready.mjs'
import { serveWithSandbox } from './serveArguments.mjs'

buildIfNeeded()
const dataDir = mkdtempSync(join(tmpdir(), 'studio-picture-'))
const host = await startJson(join(root, 'out/main/node.js'), serveWithSandbox(dataDir))
const browser = await chromium.launch({ executablePath: await findBrowser(), args: chromiumArgs })
try {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 820 },
    deviceScaleFactor: 2,
    colorScheme: 'light',
  })
  await page.goto(host.ready.web.url)
  const ask = async (model, text) => {
    await page.getByRole('button', { name: /^Model/ }).click()
    await page.getByRole('combobox', { name: 'Search models' }).fill(model)
    await page
      .getByRole('option')
      .filter({ has: page.getByText(model, { exact: true }) })
      .click()
    await page.getByRole('textbox', { name: 'Message' }).fill(text)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
  }
  await ask('guide', 'Is my data sent anywhere?')
  await page.locator('article[data-role="assistant"][data-status="complete"]').waitFor({ timeout: 60_000 })
  await ask('guide', 'How do I connect Claude Code?')
  await page.locator('article[data-role="assistant"][data-status="complete"]').nth(1).waitFor({ timeout: 60_000 })
  // The cost of the chat, once it includes the newest reply.
  await page.getByText(/^Chat [\d.]+ SC est\.$/).waitFor()
  await page.screenshot({ path: join(root, 'resources/screenshot.png') })
} finally {
  await browser.close()
  await stopAll()
  rmSync(dataDir, { recursive: true, force: true })
}
