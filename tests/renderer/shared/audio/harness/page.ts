import { createReadStream, existsSync, statSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from '@playwright/test'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { securityHeaders } from '../../../../../src-main/hosts/csp.ts'
import { answerMedia } from '../../../../../src-main/hosts/media.ts'
import { chromiumArgs } from '../../../../helpers/browser.mjs'
import { temporaryFolder } from '../../../../helpers/folders.ts'

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
}

export interface SoundHarness {
  browser: Browser
  /** Opens a page under the real content security policy. `faults`: errors, policy violations included. */
  open(): Promise<{ page: Page; faults: string[] }>
  close(): Promise<void>
}

/** The parts of `src-renderer/shared/audio` in a real browser, over the files of `kept`, served as by the host. */
export async function openSound(kept: (id: string) => { path: string; mime: string } | null): Promise<SoundHarness> {
  const folder = temporaryFolder('studio-sound-')
  await build({
    root: fileURLToPath(new URL('.', import.meta.url)),
    configFile: false,
    logLevel: 'error',
    plugins: [react(), tailwindcss()],
    worker: { format: 'es' },
    build: { outDir: folder, emptyOutDir: true, target: 'chrome120', assetsInlineLimit: 0 },
  })
  const media = {
    open: async (id: string) => {
      const file = kept(id)
      if (!file) return null
      const read = (start: number, end: number) => createReadStream(file.path, { start, end })
      return { mime: file.mime, bytes: statSync(file.path).size, read }
    },
  }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x')
    if (pathname.startsWith('/media/')) {
      const { range, 'if-range': ifRange } = request.headers
      const asked = { method: request.method ?? 'GET', path: pathname, range: range ?? null }
      void answerMedia(media, { ...asked, ifRange: typeof ifRange === 'string' ? ifRange : null }).then((answer) => {
        response.writeHead(answer.status, answer.headers)
        if (answer.body) answer.body.on('error', () => response.destroy()).pipe(response)
        else response.end()
        response.on('close', () => answer.body?.destroy())
      })
      return
    }
    const path = join(folder, normalize(pathname).replace(/\/$/, '/index.html'))
    readFile(path.startsWith(folder) ? path : '').then(
      (body) => {
        const type = types[extname(path)] ?? 'application/octet-stream'
        response.writeHead(200, { ...securityHeaders(), 'content-type': type }).end(body)
      },
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const executablePath = [process.env.STUDIO_BROWSER, '/usr/bin/chromium'].find((path) => path && existsSync(path))
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: [...chromiumArgs, '--autoplay-policy=no-user-gesture-required'],
  })
  return {
    browser,
    open: async () => {
      // A separate context, because axe opens a second page.
      const context = await browser.newContext({ viewport: { width: 1000, height: 400 } })
      const page = await context.newPage()
      // In a full browser it is already closed.
      page.on('close', () => void context.close().catch(() => undefined))
      const faults: string[] = []
      page.on('pageerror', (error) => faults.push(error.message))
      page.on('console', (line) => {
        if (line.type() === 'error') faults.push(line.text())
      })
      await page.goto(base)
      await page.waitForFunction(() => 'sound' in window)
      return { page, faults }
    },
    close: async () => {
      await browser.close()
      server.close()
      server.closeAllConnections()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
