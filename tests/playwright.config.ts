import { fileURLToPath } from 'node:url'
import { defineConfig } from '@playwright/test'
import { chromiumArgs } from './helpers/browser.mjs'

const long = ['offline', 'speech', 'chat-tree', 'chat-tools', 'images', 'usage', 'transcribe'].map(
  (name) => `**/${name}.spec.ts`,
)

export default defineConfig({
  testDir: fileURLToPath(new URL('e2e', import.meta.url)),
  outputDir: fileURLToPath(new URL('../test-results/browser', import.meta.url)),
  // A guard against hanging: a busy machine takes ten times as long as a quiet one.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  // Most of a test is waiting for a reply that streams: three at once keep a machine with two cores busy.
  workers: 3,
  // The long ones first, so that none of them is left alone at the end.
  projects: [
    { name: 'long', testMatch: long },
    { name: 'short', testIgnore: long },
  ],
  // One more try only in CI, where nobody watches. A person's run shows every failure.
  retries: process.env.CI ? 1 : 0,
  reporter: [
    ['list'],
    ['json', { outputFile: fileURLToPath(new URL('../test-results/playwright.json', import.meta.url)) }],
  ],
  use: {
    actionTimeout: 10_000,
    viewport: { width: 1200, height: 800 },
    launchOptions: {
      ...(process.env.STUDIO_BROWSER ? { executablePath: process.env.STUDIO_BROWSER } : {}),
      args: chromiumArgs,
    },
  },
})
