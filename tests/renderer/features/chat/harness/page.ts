import { fileURLToPath } from 'node:url'
import type { Browser } from '@playwright/test'
import { buildSite, openBrowser, serveSite } from '../../../harness/site.ts'

/** The Chat page in a real browser, built for production. `close` closes the server and the browser. */
export async function openHarness(): Promise<{ url: string; browser: Browser; close: () => Promise<void> }> {
  const outDir = fileURLToPath(new URL('../../../../../node_modules/.cache/chat-harness', import.meta.url))
  await buildSite(new URL('./main.tsx', import.meta.url), outDir)
  const site = await serveSite(outDir)
  const browser = await openBrowser()
  return {
    url: site.url,
    browser,
    close: async () => {
      await browser.close()
      site.close()
    },
  }
}
