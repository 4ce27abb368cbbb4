import { expect, test } from '@playwright/test'
import { marks, tracedWithDevTools } from '../bench/render-trace.ts'
import { type DevToolsPage, openDevToolsPage } from '../helpers/devToolsPage.ts'
import { storeChat } from '../helpers/storedChat.ts'
import { closeHosts, newDataDir, openWebHost } from './hosts.ts'

test.afterAll(closeHosts)

const about1Mb = (unit: string): string => unit.repeat(Math.ceil(1_000_000 / unit.length))
const table = `| a | b | c |\n|---|---|---|\n${'| one cell | two | three words here |\n'.repeat(20)}`
const code = '```ts\nconst value = lines(chunk.slice(0, -1)) // what comes next\n```'
const replies = {
  prose: about1Mb(`${'The harbour is closed in winter, and **nobody** goes there. '.repeat(8)}\n\n`),
  mixed: about1Mb(`## Part\n\nSome **bold** words and \`code\`.\n\n${table}\n\n${code}\n\n- one\n- two\n\n`),
  list: about1Mb('- an entry of a list with `code`\n'),
  code: `\`\`\`ts\n${about1Mb('const value = lines(chunk.slice(0, -1)) // what comes next\n')}\`\`\`\n`,
}

// The numbers do not depend on the speed of the computer: elements per style update, objects per layout, scroll events. A section of 16,000
// characters is styled and laid out at once. The endless layout of a long code block is what this test is about.
test('a reply of 1 MB is drawn and scrolled a part at a time, and scrolling ends', { tag: '@long' }, async () => {
  const dataDir = newDataDir()
  const chats = Object.entries(replies).map(([name, text]) => ({ name, ...storeChat(dataDir, ['Question', text]) }))
  const host = await openWebHost(dataDir, ['--sandbox'])
  const page = await openDevToolsPage(host.url)
  try {
    for (const { name, id } of chats) {
      await page.evaluate(`location.hash = '#/chat', null`)
      await page.until(`document.querySelector('.chat-welcome')`)
      const { trace } = await tracedWithDevTools(page, async () => {
        await page.evaluate(`performance.mark('${marks.from}'), location.hash = '#/chat/${id}', null`)
        await page.until(`document.querySelector('article[data-role="assistant"]')`)
        await page.until(isStable)
        expect(await page.evaluate(`document.querySelectorAll('article').length`), name).toBe(2)
        // As by dragging the scroll bar: parts appear that were not laid out before.
        for (const part of [0.75, 0.5, 0.25, 0, 0.6]) {
          await page.evaluate(`${scrollTo}(${part})`)
          await page.until(isStable)
        }
        await page.evaluate(`performance.mark('${marks.to}'), null`)
      })
      expect(trace.mostStyled, `${name}: elements per style update`).toBeLessThan(8_000)
      expect(trace.mostLaidOut, `${name}: objects per layout`).toBeLessThan(15_000)
    }
  } finally {
    await page.close()
  }
})

const sentence = 'The harbour is closed in winter, and **nobody** goes there. '
const paragraphs = Array.from({ length: 1_100 }, (_, n) => `Paragraph ${n}. ${sentence.repeat(5)}\n\n`)

test('a reply with undrawn parts is read and copied whole, found anywhere, and keeps still while scrolled', async () => {
  const dataDir = newDataDir()
  const chat = storeChat(dataDir, ['Question', paragraphs.with(700, 'A needle.\n\n').join('')])
  const host = await openWebHost(dataDir, ['--sandbox'])
  const page = await openDevToolsPage(host.url)
  try {
    await page.evaluate(`location.hash = '#/chat/${chat.id}', null`)
    await page.until(`document.querySelector('article[data-role="assistant"] .md-undrawn')`)
    await page.until(isStable)
    // Also parts that were drawn, and are out of view again.
    for (const part of [1, 0, 0.3, 0.6, 0.45, 1]) {
      await page.evaluate(`${scrollTo}(${part})`)
      await page.until(isStable)
      await expect.poll(() => paragraphsForScreenReaders(page), `scrolled to ${part}`).toBe(paragraphs.length - 1)
    }
    expect(await page.evaluate(`document.querySelectorAll('.md-undrawn').length`)).toBeGreaterThan(10)
    expect(await page.evaluate(copiedParagraphs)).toBe(paragraphs.length - 1)
    expect(await page.evaluate(jumpsWhileScrolledUp)).toEqual([])
    await page.evaluate(`${findText}('needle')`)
    await page.until(currentIsInView)
    // More matches than a call may have arguments.
    await page.evaluate(`${findText}('e')`)
    await page.until(`CSS.highlights.get('chat-find')?.size === 5000`)
    expect(await page.evaluate(`document.querySelectorAll('article').length`)).toBe(2)
  } finally {
    await page.close()
  }
})

test('a match is found by its number in a reply whose beginning is not in the page', async () => {
  test.setTimeout(120_000)
  const dataDir = newDataDir()
  // About 40 such paragraphs are a section, and the page has at most 1,500 sections at first.
  const short = Array.from({ length: 66_000 }, () => 'a|\n\n')
  const text = short.with(100, 'Needle one.\n\n').with(9_000, 'Needle two.\n\n').join('')
  const chat = storeChat(dataDir, ['Question', text])
  const host = await openWebHost(dataDir, ['--sandbox'])
  const page = await openDevToolsPage(host.url)
  const current = `[...(CSS.highlights.get('chat-find-current') ?? [])][0]?.startContainer.data`
  const press = (key: string) =>
    `document.querySelector('.chat-find input').dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true })), null`
  try {
    await page.evaluate(`location.hash = '#/chat/${chat.id}', null`)
    await page.until(`document.querySelector('article[data-role="assistant"] .md-earlier')`)
    await page.evaluate(`${findText}('needle')`)
    await page.until(current)
    expect(await page.evaluate(current)).toBe('Needle one.')
    await page.evaluate(press('Enter'))
    await page.until(`${current} === 'Needle two.'`)
    await page.until(currentIsInView)
  } finally {
    await page.close()
  }
})

/** How many paragraphs are in the accessibility tree, from which a screen reader reads. */
async function paragraphsForScreenReaders(page: DevToolsPage): Promise<number> {
  const { targetInfos } = (await page.cdp.send('Target.getTargets')) as {
    targetInfos: { targetId: string; type: string; url: string }[]
  }
  const targetId = targetInfos.find(({ type, url }) => type === 'page' && url.startsWith('http'))?.targetId
  const { sessionId } = await page.cdp.send('Target.attachToTarget', { targetId, flatten: true })
  const { nodes } = (await page.cdp.send('Accessibility.getFullAXTree', {}, String(sessionId))) as {
    nodes: { ignored: boolean; name?: { value: string } }[]
  }
  const texts = nodes.filter(({ ignored }) => !ignored).map(({ name }) => name?.value)
  return new Set(texts.join('\n').match(/Paragraph \d+/g)).size
}

const copiedParagraphs = `(() => {
  const article = document.querySelector('article[data-role="assistant"]')
  getSelection().selectAllChildren(article.querySelector('[data-part="text"]'))
  const event = new ClipboardEvent('copy', { clipboardData: new DataTransfer(), bubbles: true, cancelable: true })
  article.dispatchEvent(event)
  getSelection().removeAllRanges()
  return event.clipboardData.getData('text/plain').match(/Paragraph \\d+/g)?.length
})()`

/** Distances by which a paragraph moved more or less than the text was scrolled, px. */
const jumpsWhileScrolledUp = `(async () => {
  const box = document.querySelector('.chat-talk')
  const { left, top } = box.getBoundingClientRect()
  const jumps = []
  const isBehind = () =>
    [...box.querySelectorAll('.md-undrawn')].some((one) => one.getBoundingClientRect().bottom > top - 400)
  for (let step = 0; step < 80; step++) {
    box.dispatchEvent(new WheelEvent('wheel'))
    const paragraph = document.elementFromPoint(left + box.clientWidth / 2, top + 300)?.closest('p')
    const before = paragraph?.getBoundingClientRect().top
    box.scrollTop -= 250
    const jumpNow = () => (paragraph ? Math.round(paragraph.getBoundingClientRect().top - before - 250) : 0)
    // The correction follows the change within the same frame, after the callbacks of the frame.
    let jump = 0
    for (let frames = 5; frames > 0; frames--) {
      await new Promise(requestAnimationFrame)
      jump = jumpNow()
      if (frames < 4 && Math.abs(jump) <= 3) break
    }
    if (Math.abs(jump) > 3) jumps.push(jump)
    // On a busy computer, sections are drawn later.
    while (isBehind()) await new Promise(requestAnimationFrame)
  }
  return jumps
})()`

const findText = `(async (text) => {
  const press = { key: 'f', code: 'KeyF', ctrlKey: true, bubbles: true }
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', press))
  while (!document.querySelector('.chat-find input')) await new Promise(requestAnimationFrame)
  const field = document.querySelector('.chat-find input')
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, text)
  field.dispatchEvent(new Event('input', { bubbles: true }))
})`

const currentIsInView = `(() => {
  const [range] = CSS.highlights.get('chat-find-current') ?? []
  if (!range) return false
  const [own, view] = [range, document.querySelector('.chat-talk')].map((one) => one.getBoundingClientRect())
  return own.height > 0 && own.top >= view.top && own.bottom <= view.bottom
})()`

/** Whether nothing scrolled and no section was added during 30 frames. */
const isStable = `new Promise((resolve) => {
  const box = document.querySelector('.chat-talk')
  const state = () => [box.scrollTop, box.scrollHeight, document.querySelectorAll('.md-section').length].join()
  const before = state()
  let scrolls = 0
  const count = () => (scrolls += 1)
  box.addEventListener('scroll', count)
  let frames = 30
  const next = () => {
    frames -= 1
    if (frames > 0) return requestAnimationFrame(next)
    box.removeEventListener('scroll', count)
    resolve(scrolls === 0 && state() === before)
  }
  requestAnimationFrame(next)
})`

/** Scrolls like a person: with a gesture before, so that the list no longer follows its end. */
const scrollTo = `((part) => {
  const box = document.querySelector('.chat-talk')
  box.dispatchEvent(new WheelEvent('wheel'))
  box.scrollTop = (box.scrollHeight - box.clientHeight) * part
})`
