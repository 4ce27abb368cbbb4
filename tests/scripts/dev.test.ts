// @long builds the whole program three times
// @module-tag chromium
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from '@playwright/test'
import { afterEach, expect, test, vi } from 'vitest'
import { buildIfNeeded, node24, root } from '../../resources/scripts/ready.mjs'
import { chromiumArgs, findPageBrowser } from '../helpers/browser.mjs'
import { pageTimeout } from '../helpers/effort.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { follow } from '../helpers/runningScript.ts'

vi.setConfig({ testTimeout: 600_000 })

const children = new Set<ChildProcess>()
let browser: Browser | null = null

afterEach(async () => {
  await browser?.close()
  browser = null
  for (const child of children) {
    const ended = once(child, 'close')
    child.kill('SIGTERM')
    await ended
  }
})

/** A copy of the sources and their build, which the test may change, with links to the packages of this clone. */
async function clone(): Promise<string> {
  buildIfNeeded()
  const folder = temporaryFolder('studio-dev-')
  const copied = ['src-main', 'src-preload', 'src-renderer', 'resources', 'docs', 'out']
  const files = ['package.json', 'package-lock.json', 'electron.vite.config.ts', 'tsconfig.json', 'CHANGELOG.md']
  for (const name of [...copied, ...files]) cpSync(join(root, name), join(folder, name), { recursive: true })
  // A folder of its own, because the scripts write into it.
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (/^\.(?!bin$|package-lock)/.test(name)) continue
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
  const { remember, sourceState } = await import(join(folder, 'resources/scripts/ready.mjs'))
  remember('built', sourceState())
  return folder
}

function change(file: string, from: string | RegExp, to: string): void {
  const text = readFileSync(file, 'utf8')
  expect(text).toMatch(from)
  writeFileSync(file, text.replace(from, to))
}

test('npm run dev in the browser shows a change of the page at once, and after a change of the core the page is connected again', async () => {
  const folder = await clone()
  const args = ['--web', '--sandbox', '--api-port', '0', '--data-dir', join(folder, 'data')]
  const { DISPLAY: _x11, WAYLAND_DISPLAY: _wayland, ...env } = process.env
  const started = follow(
    spawn(node24(), [join(folder, 'resources/scripts/dev.mjs'), ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] }),
    children,
  )
  /** The addresses that it has printed, one for each start of the web host. */
  const addresses = () => started.output().match(/^Inference Studio: \S+$/gm) ?? []
  await expect.poll(() => addresses().length, { timeout: 300_000 }).toBe(1)

  browser = await chromium.launch({ executablePath: (await findPageBrowser()) ?? '', args: chromiumArgs })
  const page = await browser.newPage()
  page.setDefaultTimeout(pageTimeout)
  await page.goto(addresses()[0]?.split(' ').at(-1) ?? '')
  const title = page.getByRole('heading', { name: 'What can I help with?' })
  await title.waitFor({ timeout: 120_000 })
  // The first visit finds packages that Vite prepares, after which it loads the page again.
  await page.waitForLoadState('networkidle')

  await page.evaluate(() => Object.assign(window, { isSameDocument: true }))
  const stage = join(folder, 'src-renderer/features/chat/Stage.tsx')
  change(stage, `<h2>{t('emptyTitle')}</h2>`, `<h2>{t('emptyTitle')} Changed.</h2>`)
  await page.getByRole('heading', { name: 'Changed.' }).waitFor({ timeout: 60_000 })
  expect(await page.evaluate(() => 'isSameDocument' in window)).toBe(true)

  change(join(folder, 'src-main/core/core.ts'), /$/, '\nprocess.stderr.write(`the changed core runs\\n`)\n')
  await expect.poll(() => addresses().length, { timeout: 300_000 }).toBe(2)
  expect(started.errors()).toContain('the changed core runs')
  // It has entered with the new token.
  await page.waitForFunction(() => !('isSameDocument' in window), null, { timeout: 60_000 })
  await title.waitFor({ timeout: 60_000 })

  started.child.kill('SIGINT')
  expect(await started.ended).toBe(0)
})
