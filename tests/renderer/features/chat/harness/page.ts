import { existsSync } from 'node:fs'
import { createServer as createTcp } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from '@playwright/test'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build, preview } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))

/** The Chat page in a real browser, built for production. `close` closes the server and the browser. */
export async function openHarness(): Promise<{ url: string; browser: Browser; close: () => Promise<void> }> {
  const outDir = fileURLToPath(new URL('../../../../../out/chat-harness', import.meta.url))
  const common = { root: here, configFile: false, logLevel: 'error' } as const
  await build({
    ...common,
    plugins: [react(), tailwindcss()],
    worker: { format: 'es' },
    build: { outDir, emptyOutDir: true, target: 'chrome120', minify: true },
  })
  const server = await preview({
    ...common,
    build: { outDir },
    preview: { port: await freePort(), host: '127.0.0.1', strictPort: true },
  })
  const executablePath = [process.env.STUDIO_BROWSER, '/usr/bin/chromium'].find((path) => path && existsSync(path))
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  })
  const url = server.resolvedUrls?.local[0] ?? ''
  return {
    url,
    browser,
    close: async () => {
      await browser.close()
      await server.close()
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createTcp()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
