import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from '@playwright/test'
import { root } from '../resources/scripts/ready.mjs'
import { chromiumArgs, findPageBrowser } from './helpers/browser.mjs'
import { pathForTests } from './helpers/npmPrograms.mjs'

process.env.PATH = pathForTests()
// Where none is named, the specifications find it here. Worker processes inherit it.
process.env.STUDIO_BROWSER ||= (await findPageBrowser()) ?? ''

// Each test file starts its own web host. A shared compile cache saves a third of the processor time of each start.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'compiled')

const long = [
  'offline',
  'speech',
  'chat-tree',
  'chat-tools',
  'images',
  'usage',
  'transcribe',
  'voice-conversation',
].map((name) => `**/${name}.spec.ts`)

export default defineConfig({
  testDir: fileURLToPath(new URL('e2e', import.meta.url)),
  globalSetup: fileURLToPath(new URL('helpers/runFolder.ts', import.meta.url)),
  outputDir: fileURLToPath(new URL('../test-results/browser', import.meta.url)),
  // Only ends hung tests: a busy machine needs ten times as long as a quiet one.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  // What a screen reader hears is the same on every system.
  snapshotPathTemplate: '{testDir}/heard/{arg}{ext}',
  // Two workers keep two cores busy. With three, each test needs a fifth more processor time.
  workers: 2,
  // Long files first, so that no worker is idle at the end.
  projects: [
    { name: 'long', testMatch: long },
    { name: 'short', testIgnore: long },
  ],
  reporter: [
    ['list'],
    ['json', { outputFile: fileURLToPath(new URL('../test-results/playwright.json', import.meta.url)) }],
  ],
  use: {
    actionTimeout: 30_000,
    viewport: { width: 1200, height: 800 },
    launchOptions: {
      ...(process.env.STUDIO_BROWSER ? { executablePath: process.env.STUDIO_BROWSER } : {}),
      args: chromiumArgs,
    },
  },
})
