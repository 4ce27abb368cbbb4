import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser } from '@playwright/test'
import { node24, root } from '../../resources/scripts/ready.mjs'
import { storeChat } from '../helpers/storedChat.ts'
import { answer } from '../renderer/features/chat/harness/scenes.ts'
import { marks, type Traced, traced } from './render-trace.ts'

const messages = 1_000
const texts = Array.from({ length: messages }, (_, at) =>
  at % 2 === 1 ? `${answer}\nThis was answer ${at}.` : `Question ${at}: what comes next?`,
)

/**
 * How long the built program takes to open a conversation of 1,000 messages, from the change of address to the frame that shows its last
 * message: store, core, socket and page. In a process of its own, as in real use.
 */
export async function openInProgram(browser: Browser, runs: number): Promise<{ ms: number[]; trace: Traced }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'studio-render-'))
  const { id, messageIds } = storeChat(dataDir, texts)
  const serve = ['serve', '--json', '--sandbox', '--web-port', '0', '--api-port', '0', '--data-dir', dataDir]
  const host = spawn(node24(), [join(root, 'out/main/node.js'), ...serve], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = await once(createInterface({ input: host.stdout }), 'line')
    const { url } = (JSON.parse(String(line)) as { web: { url: string } }).web
    const page = await browser.newPage({ viewport: { width: 1200, height: 820 } })
    await page.goto(url)
    const open = async (): Promise<number> => {
      await page.evaluate(() => {
        location.hash = '#/chat'
      })
      await page.locator('.chat-welcome').waitFor()
      await page.waitForTimeout(300)
      return page.evaluate(
        async ({ id: chat, last, from, to }) => {
          const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))
          await frame()
          performance.mark(from)
          const begun = performance.now()
          location.hash = `#/chat/${chat}`
          while (!document.querySelector(`[data-message-id="${last}"]`)) await frame()
          await frame()
          performance.mark(to)
          return performance.now() - begun
        },
        { id, last: messageIds.at(-1) ?? '', ...marks },
      )
    }
    // The first run loads what all others share: fonts, compiled code, the store's pages.
    await open()
    const ms: number[] = []
    for (let run = 0; run < runs; run++) ms.push(await open())
    const { trace } = await traced(page, open)
    await page.close()
    return { ms, trace }
  } finally {
    host.kill('SIGTERM')
    await once(host, 'exit')
    rmSync(dataDir, { recursive: true, force: true })
  }
}
