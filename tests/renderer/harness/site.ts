import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, extname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from '@playwright/test'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { chromiumArgs, findPageBrowser } from '../../helpers/browser.mjs'

// Builds a page that runs one script of ours, serves it, and opens a browser for it. Tests, benchmarks and screenshots share it.

const indexPage = fileURLToPath(new URL('./index.html', import.meta.url))

/** Builds `index.html` of this folder for production, with `main` as its script. */
export async function buildSite(main: URL, outDir: string): Promise<void> {
  const script = relative(dirname(indexPage), fileURLToPath(main))
  await build({
    root: dirname(indexPage),
    base: './',
    configFile: false,
    logLevel: 'error',
    plugins: [
      react(),
      tailwindcss(),
      {
        name: 'script-of-the-page',
        transformIndexHtml: { order: 'pre', handler: (html) => html.replace('./main.tsx', script) },
      },
    ],
    worker: { format: 'es' },
    build: { outDir, emptyOutDir: true, target: 'chrome120', assetsInlineLimit: 0 },
  })
}

const contentTypes: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
}

export interface SiteOptions {
  /** Sent with every file. */
  headers?: Record<string, string>
  /** Answers a request instead of a file, and returns true if it did. */
  answer?: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** Serves a folder on a free port of 127.0.0.1. `url` ends with a slash. */
export async function serveSite(
  folder: string,
  { headers = {}, answer = () => false }: SiteOptions = {},
): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    if (answer(request, response)) return
    const path = join(folder, normalize(new URL(request.url ?? '/', 'http://x').pathname).replace(/\/$/, '/index.html'))
    readFile(path.startsWith(folder) ? path : '').then(
      (body) => {
        const type = contentTypes[extname(path)] ?? 'application/octet-stream'
        response.writeHead(200, { ...headers, 'content-type': type }).end(body)
      },
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Starts the browser for page tests. */
export async function openBrowser(args: string[] = []): Promise<Browser> {
  const executablePath = await findPageBrowser()
  return chromium.launch({ ...(executablePath ? { executablePath } : {}), args: [...chromiumArgs, ...args] })
}
