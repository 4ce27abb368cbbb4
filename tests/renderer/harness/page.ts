import { rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import { transfersPath } from '../../../src-preload/contract/transfers.ts'
import { pageTimeout } from '../../helpers/effort.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { drawn } from './drawn.ts'
import { buildSite, openBrowser, serveSite } from './site.ts'

const csp =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; frame-src 'self'"

/** One minute of silence, as a placeholder recording: WAVE of 8,000 bytes per second. */
function silence(): Buffer {
  const samples = Buffer.alloc(60 * 8000, 128)
  const head = Buffer.from('RIFF    WAVEfmt                     data    ', 'latin1')
  head.writeUInt32LE(36 + samples.length, 4)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(8000, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}

/** Accepts a part of an upload, and replies so late that the progress is visible. */
async function storePart(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let received = Number(new URL(request.url ?? '/', 'http://x').searchParams.get('at'))
  for await (const chunk of request) received += (chunk as Buffer).length
  await setTimeout(500)
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ received }))
}

/** Answers requests for images, uploads and recordings. */
function answerAsTheCore(request: IncomingMessage, response: ServerResponse): boolean {
  const url = request.url ?? ''
  const picture = drawn(url)
  if (picture) {
    const headers = { 'content-type': 'image/png', 'cache-control': 'private, max-age=31536000, immutable' }
    response.writeHead(200, headers).end(picture)
  } else if (url.startsWith(transfersPath)) void storePart(request, response)
  else if (url.startsWith('/media/')) response.writeHead(200, { 'content-type': 'audio/wav' }).end(silence())
  else return false
  return true
}

export interface Look {
  width?: number
  height?: number
  theme?: 'light' | 'dark'
  language?: string
  /** Further query parameters, for example `chats=10000`. */
  query?: string
  /** For example `#/chat`. */
  hash?: string
  /** For example `Pacific/Niue`. Defaults to the machine's. */
  timezoneId?: string
}

export interface WindowHarness {
  browser: Browser
  /** Opens a new page with the window. Errors in the page are collected in `faults`. */
  open: (look?: Look) => Promise<{ page: Page; context: BrowserContext; faults: string[] }>
  close: () => Promise<void>
}

/** The whole window over an in-memory core, in a real browser, built for production. */
export async function openWindow(): Promise<WindowHarness> {
  const folder = temporaryFolder('studio-window-')
  await buildSite(new URL('./main.tsx', import.meta.url), folder)
  const site = await serveSite(folder, { headers: { 'content-security-policy': csp }, answer: answerAsTheCore })
  const browser = await openBrowser()
  return {
    browser,
    open: async ({
      width = 1200,
      height = 800,
      theme = 'light',
      language = 'en',
      query = '',
      hash = '#/chat',
      timezoneId,
    } = {}) => {
      const zone = timezoneId === undefined ? {} : { timezoneId }
      const context = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce', ...zone })
      const page = await context.newPage()
      const faults: string[] = []
      page.on('pageerror', (error) => faults.push(error.message))
      page.on('console', (line) => {
        if (line.type() === 'error') faults.push(line.text())
      })
      page.setDefaultTimeout(pageTimeout)
      await page.goto(`${site.url}?state=connected&theme=${theme}&language=${language}&${query}${hash}`)
      await page.locator('main').waitFor()
      await page.waitForFunction((wanted) => document.documentElement.lang === wanted, language)
      await page.evaluate(() => document.fonts.ready)
      return { page, context, faults }
    },
    close: async () => {
      await browser.close()
      site.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
