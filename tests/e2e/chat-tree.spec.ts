import { readFileSync } from 'node:fs'
import { expect, type Page, test } from '@playwright/test'
import { startSandbox } from '../../src-main/sandbox/sandbox.ts'
import { windowText } from '../helpers/windowText.ts'
import {
  allowClipboard,
  type ChatWorld,
  expectAccessible,
  fromMenu,
  hoverAtRest,
  line,
  newChat,
  openChatWorld,
  takePictures,
  turns,
} from './chatWorld.ts'
import { newDataDir, openWebHost } from './hosts.ts'
import {
  askModel,
  composer,
  connectTo,
  growths,
  lastReply,
  openInspector,
  pickModel,
  pressInDialog,
  replies,
  send,
  settled,
} from './journey.ts'

// Each test has many steps and needs much longer on a busy machine.
test.describe.configure({ timeout: 150_000 })
test.use({ actionTimeout: 30_000 })

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())
test.beforeEach(({ page }) => world.enter(page))

/** A chat with one reply. */
async function ask(page: Page, text: string, model = 'mirror'): Promise<void> {
  await askModel(page, model, text)
}

test('an edited message creates a branch, a retry creates a version, and arrows switch between both', {
  tag: '@long',
}, async ({ page }) => {
  await ask(page, 'Which lamp was lit in Lisbon?')
  await turns(page).first().hover()
  await turns(page)
    .getByRole('button', { name: windowText('chat:edit') })
    .click()
  const changed = page.getByRole('textbox', { name: windowText('chat:editText') })
  await expect(changed).toBeFocused()
  await changed.fill('Which lamp was lit in Porto?')
  await page.getByRole('button', { name: windowText('chat:saveAndSend') }).click()
  await expect(turns(page)).toContainText('Porto')
  await settled(page, 'complete')
  await expect(lastReply(page)).toContainText('Porto')
  await expect(replies(page)).toHaveCount(1)
  await expect(page.getByRole('group', { name: 'Version 2 of 2' })).toBeVisible()

  await page.getByRole('button', { name: windowText('chat:siblingPrevious') }).click()
  await expect(turns(page)).toContainText('Lisbon')
  await expect(lastReply(page)).toContainText('Lisbon')
  await expect(page.getByRole('button', { name: windowText('chat:siblingNext') })).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(turns(page)).toContainText('Porto')

  await lastReply(page)
    .getByRole('button', { name: windowText('chat:retry') })
    .click()
  await expect(lastReply(page).getByRole('group', { name: 'Reply 2 of 2' })).toBeVisible()
  await settled(page, 'complete')
  await page.reload()
  await expect(lastReply(page).getByRole('group', { name: 'Reply 2 of 2' })).toBeVisible()
  await expect(turns(page)).toContainText('Porto')
  await expectAccessible(page)
  await takePictures(page, 'chat-branches', true)
})

test('a stopped reply is continued with an explicit message, then a reply [CHAT-16]', { tag: '@long' }, async ({
  page,
}) => {
  await pickModel(page, 'writer-large')
  await send(page, 'Write at length about the sea.')
  await growths(page, 5)
  await page.keyboard.press('Escape')
  await settled(page, 'stopped')
  await expectAccessible(page)
  const before = await lastReply(page).locator('[data-part="text"]').innerText()
  await allowClipboard(page)
  await page.getByRole('button', { name: windowText('chat:continueReply') }).click()
  const texts = lastReply(page).locator('[data-part="text"]')
  await expect(texts).toHaveCount(2)
  await page.keyboard.press('Escape')
  await expect(lastReply(page)).toHaveAttribute('data-status', 'stopped')
  // One card, with one heading, one note about its end, and one row of actions.
  await expect(replies(page)).toHaveCount(1)
  await expect(lastReply(page).getByRole('heading', { name: 'writer-large' })).toHaveCount(1)
  await expect(lastReply(page).getByText(windowText('chat:stopped'))).toHaveCount(1)
  await expect(lastReply(page).getByRole('button', { name: windowText('chat:copyReply') })).toHaveCount(1)
  await expectAccessible(page)
  await takePictures(page, 'chat-continued', true)
  await lastReply(page)
    .getByRole('button', { name: windowText('chat:copyReply') })
    .click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied.startsWith(before.split('\n')[0] ?? '')).toBe(true)
  expect(copied).toContain((await texts.nth(1).innerText()).trim().split('\n')[0])
})

test('several choices appear side by side, and the chat continues with the chosen one [CHAT-09]', async ({ page }) => {
  await openInspector(page, { advanced: true })
  await page.getByLabel(windowText('chat:paramChoices'), { exact: true }).fill('3')
  await pickModel(page, 'mirror')
  await send(page, 'Say it three times.')
  const columns = page.locator('.chat-columns article')
  await expect(columns).toHaveCount(3)
  for (const at of [0, 1, 2]) await expect(columns.nth(at)).toHaveAttribute('data-status', 'complete')
  await expectAccessible(page)
  await takePictures(page, 'chat-choices', true)
  await page.getByRole('button', { name: 'Use this reply: Choice 2 · mirror' }).click()
  await expect(columns.nth(1)).toHaveAttribute('data-kept', 'true')
  // Three columns need the width, so the inspector was closed.
  await openInspector(page)
  await page.getByLabel(windowText('chat:paramChoices'), { exact: true }).fill('')
  await send(page, 'And go on.')
  await settled(page, 'complete')
  await expect(columns).toHaveCount(0)
  await expect(replies(page)).toHaveCount(2)
  await expect(page.getByRole('group', { name: 'Reply 2 of 3' })).toBeVisible()
})

test('two models are compared in columns with time and tokens', { tag: '@long' }, async ({ page }) => {
  await page.getByRole('button', { name: /^Model/ }).click()
  await page.getByRole('radio', { name: windowText('chat:modelsOne') }).click()
  await page.getByRole('combobox', { name: windowText('chat:searchModels') }).fill('mirror')
  await page.getByRole('option', { name: 'mirror' }).click()
  await page.getByRole('button', { name: /^Model/ }).click()
  await page.getByRole('radio', { name: windowText('chat:modelsCompare') }).click()
  await page.getByRole('combobox', { name: windowText('chat:searchModels') }).fill('writer-small')
  await page.getByRole('option', { name: 'writer-small' }).first().click()
  await takePictures(page, 'chat-compare-picker', true)
  await page.getByRole('button', { name: windowText('chat:compareDone'), exact: true }).click()
  await expect(page.getByRole('combobox', { name: windowText('chat:searchModels') })).toHaveCount(0)
  await composer(page).fill('The same for both.')
  await page.getByRole('button', { name: 'Send to 2' }).click()
  const columns = page.locator('.chat-columns article')
  await expect(columns).toHaveCount(2)
  await expect(columns.first()).toHaveAttribute('aria-label', /mirror/)
  for (const at of [0, 1]) {
    await expect(columns.nth(at)).toHaveAttribute('data-status', 'complete', { timeout: 20_000 })
    await expect(columns.nth(at)).toContainText(/tokens/)
  }
  await takePictures(page, 'chat-compare')
  await page.setViewportSize({ width: 700, height: 820 })
  const list = page.locator('.chat-columns')
  await expect.poll(() => list.evaluate((all) => all.scrollWidth - all.clientWidth)).toBe(0)

  // The short reply of “mirror” ends far above the end of the long one. Its fixed name says where it is.
  await page.setViewportSize({ width: 1280, height: 420 })
  const names = page.locator('.chat-column-names > div')
  await page.locator('.chat-talk').evaluate((talk) => talk.scrollTo(0, talk.scrollHeight))
  await expect(names.first()).toContainText(windowText('chat:replyAbove'))
  await expect(names.nth(1)).not.toContainText(windowText('chat:replyAbove'))
  await takePictures(page, 'chat-compare-above')
  await columns.first().evaluate((column) => column.scrollIntoView({ block: 'start' }))
  await expect(names.first()).not.toContainText(windowText('chat:replyAbove'))
})

test('several chats stream at once, and switching between them loses nothing', { tag: '@long' }, async ({ page }) => {
  const openBefore = world.sandbox.observe.openStreams()
  await pickModel(page, 'writer-large')
  await send(page, 'Long one about harbours.')
  await growths(page, 3)
  await newChat(page)
  await send(page, 'Long one about bridges.')
  await growths(page, 3)
  expect(world.sandbox.observe.openStreams()).toBe(openBefore + 2)
  await line(page, 'Long one about harbours').click()
  await expect(turns(page)).toContainText('harbours')
  await growths(page, 3)
  await page.keyboard.press('Escape')
  await settled(page, 'stopped')
  await line(page, 'Long one about bridges').click()
  await expect(turns(page)).toContainText('bridges')
  await growths(page, 3)
  await page.keyboard.press('Escape')
  await settled(page, 'stopped')
})

test('two windows show the same streaming chat', { tag: '@long' }, async ({ page, context }) => {
  await ask(page, 'Shown in two windows.')
  const other = await context.newPage()
  await other.goto(page.url())
  await expect(lastReply(other)).toHaveAttribute('data-status', 'complete')
  await pickModel(page, 'writer-large')
  await send(page, 'At length, in both.')
  await expect(lastReply(other)).toHaveAttribute('data-status', 'streaming')
  await growths(other, 3)
  await other.keyboard.press('Escape')
  await settled(page, 'stopped')
  await settled(other, 'stopped')
  const text = (one: Page) => lastReply(one).locator('[data-part="text"]').innerText()
  await expect.poll(async () => (await text(page)) === (await text(other))).toBe(true)
})

test('a chat is renamed, pinned, moved to a folder, duplicated, archived, deleted and restored', {
  tag: '@long',
}, async ({ page }) => {
  await ask(page, 'To be tidied up.')
  await fromMenu(page, 'To be tidied up', 'Rename')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('Tidy')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Tidy' })).toBeVisible()
  await fromMenu(page, 'Tidy', 'Pin')
  await expect(line(page, 'Tidy').getByRole('img', { name: windowText('library:pinned') })).toBeVisible()
  await fromMenu(page, 'Tidy', 'Unpin')

  await fromMenu(page, 'Tidy', 'Move to…')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: windowText('library:newFolder') })
    .click()
  await page.getByRole('dialog').getByLabel(windowText('chat:schemaName')).fill('Errands')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: windowText('library:create'), exact: true })
    .click()
  await expect(page.getByRole('button', { name: 'Errands 1 chat' })).toBeVisible()

  await fromMenu(page, 'Tidy', 'Duplicate')
  await expect(line(page, 'Tidy')).toHaveCount(2)
  await line(page, 'Tidy').first().click()
  await line(page, 'Tidy').first().hover()
  await page.getByRole('button', { name: 'More for Tidy', exact: true }).first().click()
  await page.getByRole('menuitem', { name: windowText('library:archive'), exact: true }).click()
  await expect(line(page, 'Tidy')).toHaveCount(1)

  await fromMenu(page, 'Tidy', 'Delete')
  await expect(line(page, 'Tidy')).toHaveCount(0)
  await page.getByRole('button', { name: windowText('chat:undo') }).click()
  await expect(line(page, 'Tidy')).toHaveCount(1)
  await page.getByRole('button', { name: windowText('library:listMenu') }).click()
  await page.getByRole('menuitem', { name: windowText('library:showArchived') }).click()
  await expect(line(page, 'Tidy')).toHaveCount(1)
  await expectAccessible(page)
})

test('search finds while typing, in any script, and jumps to the message', { tag: '@long' }, async ({ page }) => {
  await ask(page, 'The quokka smiled at the ferry.')
  await newChat(page)
  await send(page, '東京の灯台は夜に光ります。')
  await settled(page, 'complete')
  await newChat(page)
  const search = page.getByRole('combobox', { name: windowText('library:search') })
  await search.pressSequentially('quok')
  const hits = page.getByRole('listbox', { name: windowText('library:results') }).getByRole('option')
  await expect(hits.first()).toContainText('quokka')
  await expectAccessible(page)
  await takePictures(page, 'chat-search', true)
  await search.fill('灯台')
  await expect(hits.first()).toContainText('灯台')
  await page.keyboard.press('Enter')
  await expect(turns(page)).toContainText('東京の灯台')
})

/** Number of occurrences of a text in the messages. */
const standing = (page: Page, text: RegExp): Promise<number> =>
  page
    .locator('.chat-talk [data-part="text"]')
    .allInnerTexts()
    .then((parts) => parts.join('\n').match(text)?.length ?? 0)

/** The current match, if visible, and the number of highlighted matches. */
const marked = (page: Page) =>
  page.evaluate(() => {
    const [range] = CSS.highlights.get('chat-find-current') ?? []
    const view = document.querySelector('.chat-talk')?.getBoundingClientRect()
    const all = CSS.highlights.get('chat-find')?.size ?? 0
    if (!(range instanceof Range) || !view) return { all, current: null, inSight: false }
    const { top, bottom } = range.getBoundingClientRect()
    const inSight = top >= view.top && bottom <= view.bottom
    return { all, current: range.toString(), inSight }
  })

const long = 'A line that lies between.\n\n'.repeat(60)

test('find in chat counts, scrolls to each match and returns the focus', { tag: '@long' }, async ({ page }) => {
  await ask(page, `heron at the top.\n\n${long}Heron at the end.`)
  // Two in the question and two in its copy, whose end may be drawn after the reply has ended.
  const [total, lower] = [4, 2]
  await expect
    .poll(async () => [await standing(page, /heron/gi), await standing(page, /heron/g)])
    .toEqual([total, lower])
  // The question is far above and not rendered, but find still finds it.
  await ask(page, long)
  await expect(turns(page).filter({ hasText: 'heron' })).toHaveCount(0)
  await composer(page).focus()
  await page.keyboard.press('ControlOrMeta+f')
  const bar = page.getByRole('search')
  const field = bar.getByRole('textbox', { name: windowText('chat:find') })
  const count = bar.getByRole('status')
  await expect(field).toBeFocused()
  await field.fill('heron')
  await expect(count).toHaveText(`1 of ${total}`)
  await expect.poll(() => marked(page)).toMatchObject({ current: 'heron', inSight: true })
  await expect.poll(async () => (await marked(page)).all === (await standing(page, /heron/gi))).toBe(true)
  await page.keyboard.press('Enter')
  await expect(count).toHaveText(`2 of ${total}`)
  await expect.poll(() => marked(page)).toMatchObject({ current: 'Heron', inSight: true })
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.press('Shift+Enter')
  await expect(count).toHaveText(`${total} of ${total}`)
  await bar.getByRole('button', { name: windowText('chat:findNext') }).click()
  await expect(count).toHaveText(`1 of ${total}`)
  await expect.poll(() => marked(page)).toMatchObject({ current: 'heron', inSight: true })
  await expectAccessible(page)
  await takePictures(page, 'chat-find', true)
  await bar.getByRole('button', { name: windowText('chat:findCase') }).click()
  await expect(count).toHaveText(`1 of ${lower}`)
  await field.fill('no such bird')
  await expect(count).toHaveText('No results')
  await expect.poll(() => marked(page)).toEqual({ all: 0, current: null, inSight: false })
  await field.press('Escape')
  await expect(bar).toHaveCount(0)
  await expect(composer(page)).toBeFocused()
})

test('a search hit on another branch opens that branch with the words highlighted and visible', {
  tag: '@long',
}, async ({ page }) => {
  await ask(page, `The ibis of Zanzibar.\n\n${long}`)
  await page.locator('.chat-talk').hover()
  await page.mouse.wheel(0, -100_000)
  // A click during the scrolling would miss.
  await expect.poll(() => page.locator('.chat-talk').evaluate(({ scrollTop }) => scrollTop)).toBe(0)
  const edit = turns(page).getByRole('button', { name: windowText('chat:edit') })
  await hoverAtRest(page, turns(page).first(), edit)
  await edit.click()
  await page.getByRole('textbox', { name: windowText('chat:editText') }).fill('The stork of Malindi.')
  await page.getByRole('button', { name: windowText('chat:saveAndSend') }).click()
  await expect(turns(page)).toContainText('Malindi')
  await settled(page, 'complete')
  await newChat(page)
  await page.getByRole('combobox', { name: windowText('library:search') }).fill('zanzibar')
  const hits = page.getByRole('listbox', { name: windowText('library:results') }).getByRole('option')
  // The title of the chat is the first hit. The message on the other branch follows.
  await hits.filter({ hasText: 'The ibis of Zanzibar' }).last().click()
  await expect(turns(page)).toContainText('The ibis of Zanzibar.')
  await expect(page.getByRole('group', { name: 'Version 1 of 2' })).toBeVisible()
  await expect(page.getByRole('search').getByRole('textbox', { name: windowText('chat:find') })).toHaveValue('zanzibar')
  // What is typed now is a message, as after any other way to a chat.
  await expect(composer(page)).toBeFocused()
  await expect.poll(() => marked(page)).toMatchObject({ current: 'Zanzibar', inSight: true })
})

test('the New chat shortcut focuses the composer from a chat, an empty chat and another page', {
  tag: '@long',
}, async ({ page }) => {
  const newButton = page.getByRole('button', { name: windowText('chat:newChat'), exact: true })
  for (const keys of ['ControlOrMeta+n', 'Alt+Shift+N']) {
    await newButton.focus()
    await expect(composer(page)).not.toBeFocused()
    await page.keyboard.press(keys)
    await expect(composer(page)).toBeFocused()
  }
  await ask(page, 'A chat to leave by keys.')
  await page.keyboard.press('Alt+Shift+N')
  await expect(page.getByRole('heading', { name: windowText('chat:emptyTitle') })).toBeVisible()
  await expect(composer(page)).toBeFocused()
  await page.keyboard.press('ControlOrMeta+,')
  await expect(page.getByRole('button', { name: 'Test again' })).toBeVisible()
  await page.keyboard.press('Alt+Shift+N')
  await expect(composer(page)).toBeFocused()
})

test('after an unreachable service, Retry sends again and the window shows the connection as restored', {
  tag: '@long',
}, async ({ page }) => {
  const apiKey = 'sk-chat-away'
  const first = await startSandbox({ apiKey })
  const host = await openWebHost(newDataDir())
  await page.goto(host.url)
  await connectTo(page, first.baseUrl, apiKey)
  await ask(page, 'While it is there.')
  await first.close()
  await page.keyboard.press('ControlOrMeta+,')
  await page.getByRole('button', { name: 'Test again' }).click()
  const connection = page.getByRole('contentinfo').getByRole('button', { name: /Offline since|Connected/ })
  await expect(connection).toContainText('Offline since')
  await page.goBack()
  await send(page, 'While it is away.')
  await settled(page, 'failed')
  await expect(lastReply(page)).toContainText('The service can’t be reached')

  const again = await startSandbox({ apiKey, port: first.port })
  await lastReply(page)
    .getByRole('button', { name: windowText('chat:retry') })
    .click()
  await expect(lastReply(page).getByRole('group', { name: 'Reply 2 of 2' })).toBeVisible()
  await settled(page, 'complete')
  await expect(lastReply(page)).toContainText('While it is away.')
  await expect(connection).toContainText('Connected')
  await host.stop()
  await again.close()
})

test('an exported chat is imported unchanged', { tag: '@long' }, async ({ page }, info) => {
  await ask(page, 'Carried out and back in, exactly.')
  // The table is drawn shortly after its text.
  await expect(page.locator('.chat-talk table')).toBeVisible()
  // The figures of a reply are complete while it is hovered.
  await page.mouse.move(0, 0)
  const before = await page.locator('.chat-talk').innerText()
  const download = page.waitForEvent('download')
  await fromMenu(page, 'Carried out and back in, exactly', 'Export as JSON')
  const file = info.outputPath('chat.json')
  await (await download).saveAs(file)
  expect(readFileSync(file, 'utf8')).toContain('Carried out and back in')
  await fromMenu(page, 'Carried out and back in, exactly', 'Delete')
  await page.getByRole('button', { name: windowText('library:listMenu') }).click()
  await page.getByRole('menuitem', { name: windowText('library:showRemoved') }).click()
  await page.getByRole('button', { name: /^Delete Carried out/ }).click()
  await pressInDialog(page, windowText('library:eraseDo'))
  await expect(page.getByRole('button', { name: /^Delete Carried out/ })).toHaveCount(0)
  await page.getByRole('button', { name: windowText('library:back') }).click()
  await page.getByRole('button', { name: windowText('library:listMenu') }).click()
  await page.getByRole('menuitem', { name: windowText('library:importMenu') }).click()
  await page.locator('input[type="file"][accept*="zip"]').setInputFiles(file)
  await page.getByRole('button', { name: windowText('library:openFirst') }).click()
  await expect(turns(page)).toContainText('Carried out and back in, exactly.')
  await settled(page, 'complete')
  await page.mouse.move(0, 0)
  await expect.poll(() => page.locator('.chat-talk').innerText()).toBe(before)
})

test('a draft survives a reload, and other windows mention it', { tag: '@long' }, async ({ page, context }) => {
  await ask(page, 'A chat with a draft.')
  await composer(page).fill('Half a thought')
  const other = await context.newPage()
  await other.goto(world.host.url)
  await expect(line(other, 'A chat with a draft')).toContainText('Draft: Half a thought')
  await page.reload()
  await expect(composer(page)).toHaveValue('Half a thought')
})

test('a reader who scrolled up stays there, and one click leads to the latest message', { tag: '@long' }, async ({
  page,
}) => {
  await pickModel(page, 'writer-large')
  await send(page, 'Write so much that it scrolls.')
  const talk = page.locator('.chat-talk')
  await expect.poll(() => talk.evaluate((box) => box.scrollHeight - box.clientHeight)).toBeGreaterThan(300)
  await talk.hover()
  // A busy page scrolls long after the wheel event.
  await talk.evaluate((box) =>
    box.addEventListener(
      'wheel',
      () => {
        for (const from = performance.now(); performance.now() - from < 500; );
      },
      { passive: true, once: true },
    ),
  )
  await page.mouse.wheel(0, -400)
  const pill = page.getByRole('button', { name: windowText('chat:jump') })
  await expect(pill).toBeVisible()
  const top = await talk.evaluate((box) => box.scrollTop)
  await growths(page, 6)
  expect(Math.abs((await talk.evaluate((box) => box.scrollTop)) - top)).toBeLessThan(3)
  await pill.click()
  await expect(pill).toHaveCount(0)
  await expect.poll(() => talk.evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop)).toBeLessThan(48)
  await page.keyboard.press('Escape')
  await settled(page, 'stopped')
})

test('a whole chat with stop, branch and search by keyboard alone', async ({ page }) => {
  const tabTo = async (name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> => {
    for (let at = 0; at < 60; at += 1) {
      const label = await page.evaluate(() => {
        const { activeElement: element } = document
        return element?.getAttribute('aria-label') ?? element?.textContent ?? ''
      })
      if (name.test(label)) return
      await page.keyboard.press(key)
    }
    throw new Error(`No Tab leads to ${name}.`)
  }
  await tabTo(/^Model: /)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('combobox', { name: windowText('chat:searchModels') })).toBeVisible()
  await page.getByRole('combobox', { name: windowText('chat:searchModels') }).focus()
  await page.keyboard.type('writer-large')
  await page.keyboard.press('Enter')
  await tabTo(/^Message$/, 'Shift+Tab')
  await page.keyboard.type('By keys, at length about zeppelins.')
  await page.keyboard.press('Enter')
  await growths(page, 4)
  await page.keyboard.press('Escape')
  await settled(page, 'stopped')
  await tabTo(/^Edit$/, 'Shift+Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: windowText('chat:editText') })).toBeFocused()
  await page.keyboard.type(' And balloons.')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByRole('group', { name: 'Version 2 of 2' })).toBeVisible()
  await growths(page, 3)
  await page.keyboard.press('Escape')
  await settled(page, 'stopped')
  await tabTo(/^Previous$/, 'Shift+Tab')
  await page.keyboard.press('Enter')
  await expect(turns(page)).not.toContainText('balloons')
  await page.keyboard.press('ControlOrMeta+Shift+f')
  await expect(page.getByRole('combobox', { name: windowText('library:search') })).toBeFocused()
  await page.keyboard.type('balloons')
  await expect(page.getByRole('option').first()).toContainText('balloons')
  await page.keyboard.press('Enter')
  await expect(turns(page)).toContainText('And balloons.')
})

test('empty chat, long names, errors and the model list are accessible [MOD-01]', async ({ page }) => {
  await expectAccessible(page)
  await takePictures(page, 'chat-empty', true)
  await pickModel(page, 'fault/500')
  await send(
    page,
    `${'A title that is much longer than the list is wide '.repeat(4)}and_a_word_without_any_end_${'x'.repeat(120)}`,
  )
  await settled(page, 'failed')
  await expectAccessible(page)
  await takePictures(page, 'chat-error', true)
  await page.getByRole('button', { name: /^Model/ }).click()
  const list = page.getByRole('listbox', { name: windowText('chat:pickModel') })
  await expect(list).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'chat-models')
  // Every model of the service by its exact id, with its owner.
  const { baseUrl, apiKey } = world.sandbox
  const reply = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } })
  const { data } = (await reply.json()) as { data: { id: string; owned_by: string; created: number }[] }
  await expect(page.getByText(`${data.length} models, updated`)).toBeVisible()
  await page.getByRole('button', { name: /Show models not for chats/ }).click()
  for (const { id, owned_by, created } of data) {
    await page.getByRole('combobox', { name: windowText('chat:searchModels') }).fill(id)
    const day = new Date(created * 1000).toLocaleDateString('en', {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      timeZone: 'UTC',
    } as const)
    const entry = list.getByTitle(`${id} · ${owned_by}, dated ${day}`, { exact: true })
    await expect(entry).toContainText(owned_by)
    await expect(entry.getByText(id, { exact: true })).toBeVisible()
  }
})
