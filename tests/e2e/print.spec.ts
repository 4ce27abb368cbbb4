import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { extractText, getDocumentProxy } from 'unpdf'
import { root } from '../../resources/scripts/ready.mjs'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, openChatWorld } from './chatWorld.ts'

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())

const messages = 90
const longLine = `const line = "${'word '.repeat(60)}"`

/** A chat as ChatGPT exports it. Replies have a heading, code with a long line and a formula. @param more text of each reply */
function longChat(title: string, more = ''): string {
  const nodes = Array.from({ length: messages }, (_, at) => {
    const text =
      at % 2 === 0
        ? `Question ${at}.`
        : `## Heading ${at}\n\nAnswer ${at}. Formula $x_{${at}}^2$\n\n\`\`\`js\n${longLine}\n\`\`\`\n\n${more}`
    const author = { role: at % 2 === 0 ? 'user' : 'assistant' }
    const message = {
      id: `m${at}`,
      author,
      create_time: 1_700_000_000 + at,
      content: { content_type: 'text', parts: [text] },
    }
    const children = at + 1 < messages ? [`m${at + 1}`] : []
    return [`m${at}`, { id: `m${at}`, parent: at === 0 ? null : `m${at - 1}`, children, message }] as const
  })
  const current = `m${messages - 1}`
  return JSON.stringify([
    { title, create_time: 1_700_000_000, mapping: Object.fromEntries(nodes), current_node: current },
  ])
}

/** Imports a chat and opens it. */
async function openImported(page: Page, file: string, chat: string): Promise<void> {
  writeFileSync(file, chat)
  await page.getByRole('button', { name: windowText('library:listMenu') }).click()
  await page.getByRole('menuitem', { name: windowText('library:importMenu') }).click()
  await page.locator('input[type="file"][accept*="zip"]').setInputFiles(file)
  await page.getByRole('button', { name: windowText('library:openFirst') }).click()
  await page
    .getByText(`Answer ${messages - 1}.`)
    .first()
    .waitFor()
  // Keys do nothing behind a dialog that is still closing.
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

test(
  'the whole chat prints: all messages, wrapped code and built formulas, in light colours',
  { tag: '@long' },
  async ({ page }, info) => {
    await world.enter(page)
    await openImported(page, info.outputPath('conversations.json'), longChat('A long talk'))
    // Only the messages near the view are in the page.
    expect(await page.locator('article[data-message-id]').count()).toBeLessThan(messages / 2)

    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    // Pressed before the page has this `print`, the keys would open the browser's.
    const printed = await page.evaluateHandle(() => {
      const result = Promise.withResolvers<{ text: string; tex: number; background: string; overflowing: number }>()
      window.print = () => {
        const view = document.querySelector('.exported-print')
        const wide = [...(view?.querySelectorAll('pre') ?? [])].filter((pre) => pre.scrollWidth > pre.clientWidth + 1)
        result.resolve({
          text: document.body.innerText,
          tex: view?.querySelectorAll('math').length ?? -1,
          background: getComputedStyle(document.documentElement).colorScheme,
          overflowing: wide.length,
        })
      }
      return { result: result.promise }
    })
    await page.keyboard.press('ControlOrMeta+P')
    const { text, tex, background, overflowing } = await printed.evaluate(({ result }) => result)
    expect({ tex, background, overflowing }).toEqual({ tex: messages / 2, background: 'light', overflowing: 0 })
    for (let at = 0; at < messages; at++) expect(text).toContain(at % 2 === 0 ? `Question ${at}.` : `Answer ${at}.`)
    // Nothing of the window: neither the list nor the composer.
    expect(text.startsWith('A long talk')).toBe(true)
    expect(text).not.toContain(windowText('chat:newChat'))
    await expect(page.locator('.exported-print')).toHaveCount(0)

    // The browser's own menu prints the same pages.
    const pdf = await page.pdf()
    if (process.env.PICTURES) writeFileSync(info.outputPath('chat.pdf'), pdf)
    // Neither blank pages nor the chat twice: 45 replies of about a twelfth of a page.
    const pages = pdf.toString('latin1').match(/\/Type ?\/Page\b(?!s)/g)?.length
    expect(pages).toBeLessThan(20)
    expect(pdf.toString('latin1').match(/\/Type ?\/Page\b(?!s)/g)?.length).toBeGreaterThan(8)
    await expect(page.locator('.exported-print')).toHaveCount(0)
  },
)

test(
  "the browser's own menu prints of a very long chat at most what is in view, and how to print the rest",
  { tag: '@long' },
  async ({ page }, info) => {
    await world.enter(page)
    const chat = longChat(
      'A very long talk',
      `**bold** and [a link](https://a.example) ${'word '.repeat(4)}\n\n`.repeat(200),
    )
    expect(chat.length).toBeGreaterThan(500_000)
    await openImported(page, info.outputPath('conversations.json'), chat)
    // The code that builds the document is loaded a few seconds after the start.
    const ofMenu = () =>
      page.evaluate(() => {
        dispatchEvent(new Event('beforeprint'))
        const text = document.querySelector<HTMLElement>('.exported-print')?.textContent ?? ''
        dispatchEvent(new Event('afterprint'))
        return text
      })
    await expect.poll(ofMenu).toContain(`Answer ${messages - 1}.`)
    const text = await ofMenu()
    expect(text).toContain(windowText('chat:printPart', { keys: 'Ctrl+P' }))
    expect(text).not.toContain('Answer 1.')
    // What one event builds without a freeze, of a chat of more than 500,000.
    expect(text.length).toBeLessThan(120_000)
    if (process.env.PICTURES) writeFileSync(info.outputPath('part.pdf'), await page.pdf())

    // The keys print everything. While they are held, the browser's own print must not start.
    const printed = await page.evaluateHandle(() => {
      const result = Promise.withResolvers<string>()
      window.print = () => result.resolve(document.querySelector('.exported-print')?.textContent ?? '')
      Object.assign(globalThis, { prevented: [] })
      addEventListener('keydown', (event) => {
        if (event.key === 'p') Reflect.get(globalThis, 'prevented').push(event.defaultPrevented)
      })
      return { result: result.promise }
    })
    await page.keyboard.down('ControlOrMeta')
    await page.keyboard.down('p')
    await page.keyboard.down('p')
    await page.keyboard.up('p')
    await page.keyboard.up('ControlOrMeta')
    const whole = await printed.evaluate(({ result }) => result)
    expect(await page.evaluate(() => Reflect.get(globalThis, 'prevented'))).toEqual([true, true])
    for (let at = 1; at < messages; at += 2) expect(whole).toContain(`Answer ${at}.`)
    expect(whole).not.toContain(windowText('chat:printPart', { keys: 'Ctrl+P' }))
  },
)

test('on paper, the language of a code block is on the page of its first line', async ({ page }) => {
  const style = readFileSync(join(root, 'src-renderer/features/chat/export/document.css'), 'utf8')
  // Each block begins a little lower on its page, the last ones at the very end of it.
  const heights = Array.from({ length: 30 }, (_, at) => 890 + at * 3)
  const blocks = heights.map(
    (height) =>
      `<div style="break-before: page; height: ${height}px"></div><pre data-language="lang${height}."><code>first${height}.\nsecond\nthird\nfourth</code></pre>`,
  )
  await page.setContent(`<style>${style}</style><body class="exported">${blocks.join('')}</body>`)
  const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true })
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(pdf)))
  const pageOf = (word: string): number => text.findIndex((one) => one.includes(word))
  for (const height of heights) {
    expect(pageOf(`lang${height}.`)).toBeGreaterThanOrEqual(0)
    expect([height, pageOf(`lang${height}.`)]).toEqual([height, pageOf(`first${height}.`)])
  }
})
