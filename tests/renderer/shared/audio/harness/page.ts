import { createReadStream, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Browser, Page } from '@playwright/test'
import { securityHeaders } from '../../../../../src-main/hosts/csp.ts'
import { answerMedia } from '../../../../../src-main/hosts/media.ts'
import { pageTimeout } from '../../../../helpers/effort.ts'
import { temporaryFolder } from '../../../../helpers/folders.ts'
import { buildSite, openBrowser, serveSite } from '../../../harness/site.ts'

export interface SoundHarness {
  browser: Browser
  /** Opens a page under the real content security policy. `faults`: errors, policy violations included. */
  open(): Promise<{ page: Page; faults: string[] }>
  close(): Promise<void>
}

/** The parts of `src-renderer/shared/audio` in a real browser, over the files of `kept`, served as by the host. */
export async function openSound(kept: (id: string) => { path: string; mime: string } | null): Promise<SoundHarness> {
  const folder = temporaryFolder('studio-sound-')
  await buildSite(new URL('./main.tsx', import.meta.url), folder)
  const media = {
    open: async (id: string) => {
      const file = kept(id)
      if (!file) return null
      const read = (start: number, end: number) => createReadStream(file.path, { start, end })
      return { mime: file.mime, bytes: statSync(file.path).size, read }
    },
  }
  const answerFile = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { pathname } = new URL(request.url ?? '/', 'http://x')
    if (!pathname.startsWith('/media/')) return false
    const { range, 'if-range': ifRange } = request.headers
    const asked = { method: request.method ?? 'GET', path: pathname, range: range ?? null }
    void answerMedia(media, { ...asked, ifRange: typeof ifRange === 'string' ? ifRange : null }).then((answer) => {
      response.writeHead(answer.status, answer.headers)
      if (answer.body) answer.body.on('error', () => response.destroy()).pipe(response)
      else response.end()
      response.on('close', () => answer.body?.destroy())
    })
    return true
  }
  const site = await serveSite(folder, { headers: securityHeaders(), answer: answerFile })
  const browser = await openBrowser(['--autoplay-policy=no-user-gesture-required'])
  return {
    browser,
    open: async () => {
      // A separate context, because axe opens a second page.
      const context = await browser.newContext({ viewport: { width: 1000, height: 400 } })
      const page = await context.newPage()
      page.setDefaultTimeout(pageTimeout)
      // In a full browser it is already closed.
      page.on('close', () => void context.close().catch(() => undefined))
      const faults: string[] = []
      page.on('pageerror', (error) => faults.push(error.message))
      page.on('console', (line) => {
        if (line.type() === 'error') faults.push(line.text())
      })
      await page.goto(site.url)
      await page.waitForFunction(() => 'sound' in window)
      return { page, faults }
    },
    close: async () => {
      await browser.close()
      site.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
