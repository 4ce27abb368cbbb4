import { setTimeout } from 'node:timers/promises'
import { expect, type Page, test } from '@playwright/test'
import { type ChatWorld, openChatWorld } from './chatWorld.ts'
import { lastReply, pickModel, send, settled } from './journey.ts'
import { scripted, startScripted } from './scripted.ts'

// A reply that is written slowly, looked at in each frame.

const reply = String.raw`The price was $5 and **rises** by $a^2 + \frac{b}{c}$ per _year_, as \(x_1\) says.

$$
\sum_{k=1}^{n} k = \frac{n (n + 1)}{2}
$$

## Boats

| Boat | Price | Share |
|:-----|------:|:-----:|
| Heron | $5 | $\frac{1}{2}$ |
| Gull | $7 | ![a gull](https://a.example/gull.png) |

See ![a boat](https://a.example/boat_(old).png "An old boat") and [the list](https://a.example/list?a=b).

\[
\int_0^1 x \, dx
= \frac{1}{2}
\]

1. One with $\alpha$
2. Two with ${'`'}code | $x${'`'}

${'```'}js
const price = 5
${'```'}

That is all!
`

let world: ChatWorld
let service: Awaited<ReturnType<typeof startScripted>>
test.beforeAll(async () => {
  world = await openChatWorld(async ({ baseUrl }) => {
    service = await startScripted(baseUrl, () => ({ text: slowly(reply) }))
    return service.baseUrl
  })
})
test.afterAll(async () => {
  await world.close()
  await service.close()
})

async function* slowly(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 2) {
    yield text.slice(at, at + 2)
    await setTimeout(20)
  }
}

interface Seen {
  frames: number
  /** Texts with a mark, and TeX that is visible. */
  marks: string[]
  /** What was drawn in one frame and not in the next. */
  lost: string[]
  /** By how many px an element moved, and the text that was drawn then. */
  moves: [number, string][]
}

/** Looks at the reply in each frame, until `seen` is read. */
function watch(): void {
  const seen: Seen = { frames: 0, marks: [], lost: [], moves: [] }
  const tops = new WeakMap<Element, number>()
  let before = ''
  const textOf = (box: Element): string => {
    const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT)
    let text = ''
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (!node.parentElement?.closest('code, figure, button, .katex, .md-image, .md-float')) text += node.textContent
    return text.replace(/\s+/g, '')
  }
  const look = (): void => {
    requestAnimationFrame(look)
    const box = document.querySelector('article[data-role="assistant"] .md')
    if (!box) return
    seen.frames++
    const text = textOf(box)
    if (/[|\\![\]^_{}]|\$(?!\d)|https?:|--/.test(text.replace('all!', ''))) seen.marks.push(text)
    for (const tex of box.querySelectorAll<HTMLElement>('.md-tex > code'))
      if (tex.offsetWidth > 0) seen.marks.push(tex.innerText)
    if (!text.startsWith(before)) seen.lost.push(`${before}, then ${text}`)
    before = text
    const { top } = box.getBoundingClientRect()
    for (const element of box.querySelectorAll('p, h4, li, tr, figure, .md-table, .md-formula-block')) {
      const now = element.getBoundingClientRect().top - top
      const move = Math.abs(now - (tops.get(element) ?? now))
      if (move > 0.5) seen.moves.push([move, text.slice(-40)])
      tops.set(element, now)
    }
  }
  requestAnimationFrame(look)
  Object.assign(globalThis, { seen })
}

const seenIn = (page: Page): Promise<Seen> => page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen)

test('a growing reply shows no mark of a formula, a table or an image, takes nothing back, and nothing moves', async ({
  page,
}) => {
  test.setTimeout(120_000)
  await world.enter(page)
  await pickModel(page, scripted)
  await page.evaluate(watch)
  await send(page, 'Write about boats.')
  await settled(page, 'complete')
  const seen = await seenIn(page)
  await expect(lastReply(page).locator('.katex').first()).toBeVisible()
  expect(seen.frames).toBeGreaterThan(100)
  expect(seen.marks).toEqual([])
  expect(seen.lost).toEqual([])
  expect(seen.moves).toEqual([])
})
