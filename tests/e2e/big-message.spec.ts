import { expect, test } from '@playwright/test'
import { marks, tracedWithDevTools } from '../bench/render-trace.ts'
import { bigMessage, constructs } from '../helpers/bigMessages.ts'
import { type DevToolsPage, openDevToolsPage } from '../helpers/devToolsPage.ts'
import { slowness } from '../helpers/longestTurn.ts'
import { storeChat } from '../helpers/storedChat.ts'
import { closeHosts, newDataDir, openWebHost } from './hosts.ts'

test.afterAll(closeHosts)

/** Longest task of the page for a message of 2 MB, and for any other reply under 32 MB, ms of its own CPU time on a free core. */
const longest2Mb = 100
const longestOther = 250

/** Opens the chats one after another, from top to bottom, and calls `check` with the longest task of each. @param typed as typed, not as a reply */
async function openEach(
  messages: readonly (readonly [string, string])[],
  check: (name: string, longestMs: number) => void,
  typed = false,
): Promise<void> {
  const dataDir = newDataDir()
  const chats = messages.map(([name, text]) => ({ name, ...storeChat(dataDir, typed ? [text] : ['Question', text]) }))
  const drawn = typed ? '.chat-typed .md-piece' : 'article[data-role="assistant"] .md-section'
  const host = await openWebHost(dataDir, ['--sandbox'])
  const page = await openDevToolsPage(host.url)
  try {
    for (const { name, id } of chats) {
      await page.evaluate(`location.hash = '#/chat', null`)
      await page.until(`document.querySelector('.chat-welcome')`)
      // CPU time of the page's thread, which other programs do not change.
      const { trace } = await tracedWithDevTools(page, async () => {
        await page.evaluate(`performance.mark('${marks.from}'), location.hash = '#/chat/${id}', null`)
        await page.until(`document.querySelector('${drawn}')`)
        await isQuiet(page)
        // A jump to a part that was never drawn.
        await page.evaluate(`(() => {
          const box = document.querySelector('.chat-talk')
          box.dispatchEvent(new WheelEvent('wheel'))
          box.scrollTop = box.scrollHeight / 2
        })()`)
        await isQuiet(page)
        await page.evaluate(`performance.mark('${marks.to}'), null`)
      })
      check(name, trace.longestTaskCpuMs / slowness())
    }
  } finally {
    await page.close()
  }
}

/** Waits until no section was added or drawn for some frames. */
const isQuiet = (page: DevToolsPage): Promise<void> =>
  page.until(`new Promise((resolve) => {
    const state = () => [...document.querySelectorAll('.md-section')].map((one) => one.className + one.childElementCount).join()
    const before = state()
    let frames = 12
    const next = () => (frames-- > 0 ? requestAnimationFrame(next) : resolve(state() === before))
    next()
  })`)

const messages = (names: readonly string[], length: number) =>
  names.map((name) => [name, bigMessage(name, length)] as const)

test('a message of 2 MB never blocks the page: a list, definitions and one row of backticks', async () => {
  test.setTimeout(120_000)
  await openEach(messages(['list', 'definitions', 'backticks'], 2_000_000), (name, longestMs) => {
    expect(longestMs, name).toBeLessThan(longest2Mb)
  })
})

test('a typed message of 2 MB in one line never blocks the page', async () => {
  test.setTimeout(120_000)
  await openEach(
    messages(['long line', 'emoji', 'prose'], 2_000_000),
    (name, longestMs) => {
      expect.soft(longestMs, name).toBeLessThan(longest2Mb)
    },
    true,
  )
})

for (const part of [0, 1, 2, 3]) {
  test(`a message of 2 MB of any construct never blocks the page, part ${part + 1} of 4`, {
    tag: '@long',
  }, async () => {
    test.setTimeout(900_000)
    const names = constructs.filter((_, at) => at % 4 === part)
    await openEach(messages(names, 2_000_000), (name, longestMs) => {
      expect.soft(longestMs, name).toBeLessThan(longest2Mb)
    })
  })
}

const find = {
  begin: `(async () => {
    const press = { key: 'f', code: 'KeyF', ctrlKey: true, bubbles: true }
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', press))
    while (!document.querySelector('.chat-find input')) await new Promise(requestAnimationFrame)
    const field = document.querySelector('.chat-find input')
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'a')
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })()`,
  back: `document.querySelectorAll('.chat-find button')[1].click()`,
  close: `[...document.querySelectorAll('.chat-find button')].at(-1).click()`,
}

test('finding a letter that occurs about 95,000 times in a message of 2 MB never blocks the page', {
  tag: '@long',
}, async () => {
  test.setTimeout(600_000)
  const dataDir = newDataDir()
  const { id } = storeChat(dataDir, ['Question', bigMessage('list', 2_000_000)])
  const host = await openWebHost(dataDir, ['--sandbox'])
  const page = await openDevToolsPage(host.url)
  try {
    await page.evaluate(`location.hash = '#/chat/${id}', null`)
    await page.until(`document.querySelector('article[data-role="assistant"] .md-section')`)
    await isQuiet(page)
    for (const [name, script] of Object.entries(find)) {
      const { trace } = await tracedWithDevTools(page, async () => {
        // In a task of the page: a script of DevTools is not part of one.
        await page.evaluate(`performance.mark('${marks.from}'), setTimeout(() => { ${script} }), null`)
        // The search draws all sections, from the beginning.
        if (name === 'begin') await page.until(`CSS.highlights.get('chat-find')?.size === 5000`)
        await page.until(`!document.querySelector('.md-undrawn')`)
        await isQuiet(page)
        await page.evaluate(`performance.mark('${marks.to}'), null`)
      })
      expect.soft(trace.longestTaskCpuMs / slowness(), name).toBeLessThan(longest2Mb)
    }
  } finally {
    await page.close()
  }
})

test('a message of 15 MB never makes the page wait', { tag: '@long' }, async () => {
  test.setTimeout(600_000)
  const names = ['list', 'definitions', 'prose', 'one fence', 'late definition', 'table']
  await openEach(messages(names, 15_000_000), (name, longestMs) => {
    expect.soft(longestMs, name).toBeLessThan(longestOther)
  })
})
