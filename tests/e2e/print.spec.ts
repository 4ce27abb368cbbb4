import { writeFileSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, openChatWorld } from './chatWorld.ts'

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())

const messages = 90
const longLine = `const line = "${'word '.repeat(60)}"`

/** A chat as ChatGPT exports it. Replies have a heading, code with a long line and a formula. */
function longChat(): string {
  const nodes = Array.from({ length: messages }, (_, at) => {
    const text =
      at % 2 === 0
        ? `Question ${at}.`
        : `## Heading ${at}\n\nAnswer ${at}. Formula $x_{${at}}^2$\n\n\`\`\`js\n${longLine}\n\`\`\``
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
    { title: 'A long talk', create_time: 1_700_000_000, mapping: Object.fromEntries(nodes), current_node: current },
  ])
}

test('the whole chat prints: all messages, wrapped code and built formulas, in light colours', async ({
  page,
}, info) => {
  await world.enter(page)
  const file = info.outputPath('conversations.json')
  writeFileSync(file, longChat())
  await page.getByRole('button', { name: windowText('library:listMenu') }).click()
  await page.getByRole('menuitem', { name: windowText('library:importMenu') }).click()
  await page.locator('input[type="file"][accept*="zip"]').setInputFiles(file)
  await page.getByRole('button', { name: windowText('library:openFirst') }).click()
  await page
    .getByText(`Answer ${messages - 1}.`)
    .first()
    .waitFor()
  // Only the messages near the view are in the page.
  expect(await page.locator('article[data-message-id]').count()).toBeLessThan(messages / 2)

  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  const printed = page.evaluate(
    () =>
      new Promise<{ text: string; tex: number; background: string; overflowing: number }>((resolve) => {
        window.print = () => {
          const view = document.querySelector('.exported-print')
          const wide = [...(view?.querySelectorAll('pre') ?? [])].filter((pre) => pre.scrollWidth > pre.clientWidth + 1)
          resolve({
            text: document.body.innerText,
            tex: view?.querySelectorAll('math').length ?? -1,
            background: getComputedStyle(document.documentElement).colorScheme,
            overflowing: wide.length,
          })
        }
      }),
  )
  await page.keyboard.press('ControlOrMeta+P')
  const { text, tex, background, overflowing } = await printed
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
})
