import { expect, type Locator, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import {
  type ChatWorld,
  expectAccessible,
  hoverAtRest,
  line,
  newChat,
  openChatWorld,
  takePictures,
  turns,
} from './chatWorld.ts'
import { addToMessage, askModel, composer, goToPage, lastReply, pickModel, replies, send, settled } from './journey.ts'

// The window keeps the person's place: the focus after each action, and the messages where they are on the screen.

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())
test.beforeEach(({ page }) => world.enter(page))

/** Types letters and a space, expects them in the message, and empties it. */
async function typesIntoMessage(page: Page, after: string): Promise<void> {
  // A person's first letter comes after a frame, also of a busy page. Letters go into the message also when nothing has the focus.
  await page.waitForFunction(() => document.activeElement?.matches('body, textarea'))
  await page.keyboard.type('to be')
  await expect(composer(page), after).toHaveValue('to be')
  await expect(page.getByRole('dialog'), after).toHaveCount(0)
  await composer(page).fill('')
}

const talk = (page: Page): Locator => page.locator('.chat-talk')
const switchOf = (message: Locator, name: 'siblingPrevious' | 'siblingNext'): Locator =>
  message.getByRole('button', { name: windowText(`chat:${name}`), exact: true })
const editField = (page: Page): Locator => page.getByRole('textbox', { name: windowText('chat:editText') })
const long = (word: string): string => `A line about ${word}.\n\n`.repeat(60)

/** The place of an element once it has not moved for 400 ms, px from the top of the window. */
async function restingTop(element: Locator): Promise<number> {
  const top = async (): Promise<number | null> => (await element.boundingBox())?.y ?? null
  for (let before = await top(); ; ) {
    await element.page().waitForTimeout(400)
    const now = await top()
    if (now !== null && now === before) return now
    before = now
  }
}

/** Scrolls with the wheel until the top of an element is `px` below the top of the messages, about. */
async function bringTo(page: Page, element: Locator, px: number): Promise<void> {
  await talk(page).hover()
  await expect
    .poll(async () => {
      // Messages far from the view are not in the page.
      if ((await element.count()) === 0) {
        await page.mouse.wheel(0, -1500)
        return Number.NaN
      }
      const [own, box] = [await element.boundingBox(), await talk(page).boundingBox()]
      const by = (own?.y ?? 0) - (box?.y ?? 0) - px
      if (Math.abs(by) >= 12) await page.mouse.wheel(0, by)
      return Math.abs(by)
    })
    .toBeLessThan(12)
}

/**
 * The top of the first message that has the text and is not edited, px, once it was drawn for some frames. Later, a reply that grows beyond the
 * end moves it.
 */
function firstPlaceOf(page: Page, messages: string, text: string): Promise<number> {
  return page.evaluate(
    ([selector, words]) =>
      new Promise<number>((resolve) => {
        let frames = 0
        const look = (): void => {
          const all = [...document.querySelectorAll(selector)]
          const found = all.find(({ textContent }) => textContent.includes(words))
          if (found && !found.querySelector('textarea')) frames += 1
          if (found && frames > 3) resolve(found.getBoundingClientRect().top)
          else requestAnimationFrame(look)
        }
        look()
      }),
    [messages, text] as const,
  )
}

async function saveEdit(page: Page, text: string): Promise<void> {
  await editField(page).fill(text)
  await page.getByRole('button', { name: windowText('chat:saveAndSend') }).click()
}

/** Opens the editor of the person's last message with a key. */
async function editLast(page: Page): Promise<void> {
  await composer(page).press('ControlOrMeta+e')
  await expect(editField(page)).toBeFocused()
}

test('letters that are typed after a model was picked, by a click or by Enter, or after the list was closed by Esc, are in the message', async ({
  page,
}) => {
  const picker = page.getByRole('button', { name: /^Model/ })
  const option = page.getByRole('option').filter({ has: page.getByText('mirror', { exact: true }) })
  await picker.click()
  await page.getByRole('combobox', { name: windowText('chat:searchModels') }).fill('mirror')
  await option.click()
  await expect(option).toHaveCount(0)
  await typesIntoMessage(page, 'click')
  for (const key of ['Enter', 'Escape']) {
    await picker.focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('combobox', { name: windowText('chat:searchModels') })).toBeFocused()
    await page.keyboard.press(key)
    await expect(option).toHaveCount(0)
    await typesIntoMessage(page, key)
  }
})

test('letters that are typed after Continue, Retry, a new name, or the end of an edit are in the message', {
  tag: '@long',
}, async ({ page }) => {
  await pickModel(page, 'writer-large')
  await send(page, 'Write at length.')
  await expect(lastReply(page)).toContainText(/\w+ \w+ \w+/)
  await page.keyboard.press('Escape')
  await settled(page, 'stopped')
  await lastReply(page)
    .getByRole('button', { name: windowText('chat:continueReply') })
    .click()
  await typesIntoMessage(page, 'Continue')
  // The continuation is a second part of the same card.
  await expect(lastReply(page).locator('.chat-part[data-message-id]')).toHaveCount(1)
  await composer(page).press('Escape')
  await settled(page, 'stopped')
  await lastReply(page)
    .getByRole('button', { name: windowText('chat:retry'), exact: true })
    .first()
    .click()
  await typesIntoMessage(page, 'Retry')
  await composer(page).press('Escape')
  await settled(page, 'stopped')

  const edit = turns(page)
    .first()
    .getByRole('button', { name: windowText('chat:edit'), exact: true })
  await hoverAtRest(page, turns(page).first(), edit)
  await edit.click()
  await editField(page).press('Escape')
  await typesIntoMessage(page, 'Esc in an edit')
  await editLast(page)
  await page.getByRole('button', { name: windowText('chat:cancel'), exact: true }).click()
  await typesIntoMessage(page, 'Cancel of an edit')
  await editLast(page)
  await editField(page).fill('Write at some length.')
  await page.getByRole('button', { name: windowText('chat:saveOnly'), exact: true }).click()
  await expect(turns(page).filter({ hasText: 'at some length' })).toHaveCount(1)
  await typesIntoMessage(page, 'Save of an edit')
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: windowText('library:name') }).fill('Lengths')
  await page.keyboard.press('Enter')
  await typesIntoMessage(page, 'a new name')
  // Nothing has the focus, as after a click on a message.
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  await typesIntoMessage(page, 'a click beside everything')
})

test('letters that are typed after a dialog was closed are in the message; on other pages the focus returns to what opened it', {
  tag: '@long',
}, async ({ page }) => {
  await askModel(page, 'mirror', 'Hello')
  const dialog = page.locator('dialog[open], [role="dialog"]').last()
  const menu = async (item: string): Promise<void> => {
    await lastReply(page)
      .getByRole('button', { name: windowText('chat:moreActions'), exact: true })
      .click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }
  const listMenu = async (item: string): Promise<void> => {
    await page.getByRole('button', { name: windowText('library:listMenu') }).click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }
  const openers: Record<string, () => Promise<void>> = {
    palette: () => page.keyboard.press('ControlOrMeta+k'),
    shortcuts: () => page.keyboard.press('ControlOrMeta+/'),
    retryWith: () => menu(windowText('chat:retryWith')),
    raw: () => menu(windowText('chat:raw')),
    summary: () => menu(windowText('context:summariseUpTo')),
    project: () => page.getByRole('button', { name: windowText('library:newFolder'), exact: true }).click(),
    prompts: () => listMenu(windowText('library:promptsMenu')),
    import: () => listMenu(windowText('library:importMenu')),
    role: () => addToMessage(page, windowText('composer:addRole')),
    tools: () => addToMessage(page, windowText('composer:addTools')),
    deletion: async () => {
      await turns(page).last().hover()
      await turns(page)
        .last()
        .getByRole('button', { name: windowText('chat:moreActions'), exact: true })
        .click()
      await page.getByRole('menuitem', { name: windowText('chat:remove'), exact: true }).click()
    },
  }
  for (const [name, open] of Object.entries(openers)) {
    await open()
    await expect(dialog, name).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(dialog, name).toHaveCount(0)
    await typesIntoMessage(page, name)
  }
  // By its button, and a drawer of a narrow window.
  await openers.raw?.()
  await dialog
    .getByRole('button', { name: windowText('common:close'), exact: true })
    .last()
    .click()
  await typesIntoMessage(page, 'the button that closes a dialog')
  await page.setViewportSize({ width: 700, height: 800 })
  await page.getByRole('button', { name: windowText('common:showList') }).click()
  await line(page, 'Hello').click()
  await expect(dialog).toHaveCount(0)
  await typesIntoMessage(page, 'a chat from the narrow list')
  await page.setViewportSize({ width: 1200, height: 800 })
  // A command from the palette still means the focused message.
  await lastReply(page)
    .getByRole('button', { name: windowText('chat:moreActions'), exact: true })
    .focus()
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type(windowText('chat:commandQuote'))
  await page.keyboard.press('Enter')
  await expect(composer(page)).toHaveValue(/^> /)
  await composer(page).fill('')
  // A field for text keeps the focus.
  await editLast(page)
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.press('Escape')
  await expect(editField(page)).toBeFocused()
  await page.keyboard.press('Escape')

  await goToPage(page, 'Settings')
  const add = page.getByRole('button', { name: windowText('settings:connection.add') })
  await add.focus()
  await page.keyboard.press('Enter')
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(add).toBeFocused()
})

test('a message stays where it is on the screen when another version takes its place, whatever follows it', async ({
  page,
}) => {
  // So high that version 1 and its reply fill no window.
  await page.setViewportSize({ width: 1200, height: 1300 })
  await askModel(page, 'mirror', long('towers'))
  // Version 1 with little below, version 2 with much below.
  await send(page, 'Which lamp was lit in Lisbon?')
  await settled(page, 'complete')
  await editLast(page)
  await saveEdit(page, 'Which lamp was lit in Porto?')
  await settled(page, 'complete')
  await send(page, long('lamps'))
  await settled(page, 'complete')
  const first = turns(page).filter({ hasText: 'Which lamp' })
  await bringTo(page, first, 60)
  for (const [name, text] of [
    ['siblingPrevious', 'Lisbon'],
    // From the end of the chat, which was followed.
    ['siblingNext', 'Porto'],
    ['siblingPrevious', 'Lisbon'],
  ] as const) {
    if (name === 'siblingNext') {
      await talk(page).hover()
      await page.mouse.wheel(0, -40)
      await page.mouse.wheel(0, 4_000)
    }
    await first.hover()
    const before = await restingTop(first)
    await switchOf(first, name).click()
    await expect(first).toContainText(text)
    expect(Math.abs((await restingTop(first)) - before), text).toBeLessThan(2)
    await expect(first.getByRole('group', { name: /^Version/ })).toBeInViewport({ ratio: 1 })
  }
  // By keyboard, and the blank space below goes with the next message.
  const before = await restingTop(first)
  await page.keyboard.press('ArrowRight')
  await expect(first).toContainText('Porto')
  await page.keyboard.press('ArrowLeft')
  await expect(first).toContainText('Lisbon')
  expect(Math.abs((await restingTop(first)) - before)).toBeLessThan(2)
  await send(page, 'And then?')
  await settled(page, 'complete')
  await expect
    .poll(() => talk(page).evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop))
    .toBeLessThan(2)
  const blank = await talk(page).evaluate((box) => box.lastElementChild?.getBoundingClientRect().height)
  expect(blank).toBe(0)
})

test('the switch of a reply that is higher than the window stays in view', { tag: '@long' }, async ({ page }) => {
  await askModel(page, 'mirror', long('ferries'))
  await pickModel(page, 'writer-small')
  const retry = lastReply(page).getByRole('button', { name: windowText('chat:retry'), exact: true })
  await retry.click()
  await expect(lastReply(page).getByRole('group', { name: 'Reply 2 of 2' })).toBeVisible()
  const group = lastReply(page).getByRole('group', { name: /^Reply/ })
  for (const name of ['siblingPrevious', 'siblingNext', 'siblingPrevious'] as const) {
    await restingTop(group)
    await switchOf(lastReply(page), name).click()
    await expect(
      lastReply(page).getByRole('group', { name: name === 'siblingNext' ? /2 of 2/ : /1 of 2/ }),
    ).toBeVisible()
    await restingTop(group)
    await expect(group).toBeInViewport({ ratio: 1 })
  }
})

test('a retried reply and an edited message stay where they are on the screen, and their end is followed', {
  tag: '@long',
}, async ({ page }) => {
  await askModel(page, 'mirror', 'One.')
  await send(page, 'Two.')
  await settled(page, 'complete')
  await send(page, long('three'))
  await settled(page, 'complete')
  const reply = replies(page).filter({ hasText: /says:\s*One\./ })
  await bringTo(page, reply, 120)
  await reply.hover()
  const before = await restingTop(reply)
  await reply.getByRole('button', { name: windowText('chat:retry'), exact: true }).click()
  await expect(reply.getByRole('group', { name: 'Reply 2 of 2' })).toBeVisible()
  expect(Math.abs((await restingTop(reply)) - before)).toBeLessThan(2)

  await send(page, long('four'))
  await settled(page, 'complete')
  const turn = turns(page).filter({ hasText: 'One' })
  await bringTo(page, turn, 8)
  const edit = turn.getByRole('button', { name: windowText('chat:edit'), exact: true })
  await hoverAtRest(page, turn, edit)
  await edit.click()
  await pickModel(page, 'writer-large')
  const top = await restingTop(turn)
  const placed = firstPlaceOf(page, 'article[data-role="user"]', 'One, longer.')
  await saveEdit(page, 'One, longer.')
  expect(Math.abs((await placed) - top)).toBeLessThan(2)
  // A reply that grows beyond the end is followed.
  await expect
    .poll(() =>
      talk(page).evaluate((box) => box.scrollTop > 200 && box.scrollHeight - box.clientHeight - box.scrollTop < 48),
    )
    .toBe(true)
  await page.keyboard.press('Escape')
})

test('the first message stays where it is when it is edited or its reply is retried, however little the chat was scrolled', {
  tag: '@long',
}, async ({ page }) => {
  await askModel(page, 'mirror', 'One.')
  await send(page, long('two'))
  await settled(page, 'complete')
  await pickModel(page, 'writer-large')
  const first = turns(page).first()
  const scrollTo = async (px: number): Promise<void> => {
    await talk(page).hover()
    await page.mouse.wheel(0, -20_000)
    await expect.poll(() => talk(page).evaluate((box) => box.scrollTop)).toBe(0)
    await restingTop(first)
    await page.mouse.wheel(0, px)
    await expect.poll(() => talk(page).evaluate((box) => box.scrollTop)).toBe(px)
  }
  /** Back to the first version, below which there is enough to scroll. */
  const goBack = async (versions: number): Promise<void> => {
    await page.keyboard.press('Escape')
    await settled(page, 'stopped')
    for (let at = versions - 1; at > 0; at--) {
      await switchOf(first, 'siblingPrevious').click()
      await expect(first.getByRole('group', { name: `Version ${at} of ${versions}` })).toBeVisible()
    }
  }
  for (const [edits, px] of [1, 8, 16].entries()) {
    await scrollTo(px)
    await first.getByRole('button', { name: windowText('chat:edit'), exact: true }).press('Enter')
    const top = await restingTop(first)
    const placed = firstPlaceOf(page, 'article[data-role="user"]', `One, and ${px}.`)
    await saveEdit(page, `One, and ${px}.`)
    expect(Math.abs((await placed) - top), `edited at ${px} px`).toBeLessThan(0.5)
    await goBack(edits + 2)
  }
  await scrollTo(4)
  const reply = replies(page).first()
  // Focus scrolls by some pixels.
  await reply.getByRole('button', { name: windowText('chat:retry'), exact: true }).focus()
  const top = await restingTop(reply)
  const placed = firstPlaceOf(page, 'article[aria-label="writer-large"]', '')
  await page.keyboard.press('Enter')
  expect(Math.abs((await placed) - top), 'retried').toBeLessThan(0.5)
  await page.keyboard.press('Escape')
})

test('an editor that opens low on the screen is in view with its buttons, also while it grows', {
  tag: '@long',
}, async ({ page }) => {
  await askModel(page, 'mirror', long('moles'))
  await send(page, 'Low.')
  await settled(page, 'complete')
  const low = turns(page).last()
  // Only the first line is in view.
  const height = await talk(page).evaluate((box) => box.clientHeight)
  await bringTo(page, low, height - 40)
  await composer(page).press('ControlOrMeta+e')
  const buttons = [windowText('chat:cancel'), windowText('chat:saveOnly'), windowText('chat:saveAndSend')]
  const inView = async (): Promise<void> => {
    for (const name of buttons) {
      const button = low.getByRole('button', { name, exact: true })
      await expect
        .poll(async () => {
          const [own, box] = [await button.boundingBox(), await talk(page).boundingBox()]
          return own !== null && box !== null && own.y >= box.y && own.y + own.height <= box.y + box.height
        }, name)
        .toBe(true)
    }
  }
  await inView()
  await editField(page).fill('Short.')
  await inView()
  await editField(page).fill(long('voles'))
  await inView()
})

test('Arrow up in an empty message edits the last message of the person, Esc returns', async ({ page }) => {
  await composer(page).press('ArrowUp')
  await expect(editField(page)).toHaveCount(0)
  await askModel(page, 'mirror', 'First words.')
  await send(page, 'Last words.')
  await settled(page, 'complete')
  await composer(page).fill('x')
  await composer(page).press('ArrowUp')
  await expect(editField(page)).toHaveCount(0)
  await composer(page).fill('')
  await composer(page).press('ArrowUp')
  await expect(editField(page)).toBeFocused()
  await expect(editField(page)).toHaveValue('Last words.')
  await page.keyboard.press('Escape')
  await expect(composer(page)).toBeFocused()
})

test('a search ends when the page is left, and keeps New chat and the way to the chats at hand', {
  tag: '@long',
}, async ({ page }) => {
  await askModel(page, 'mirror', 'The okapi hides.')
  await newChat(page)
  const search = page.getByRole('combobox', { name: windowText('library:search') })
  const hits = page.getByRole('option').filter({ hasText: 'okapi' })
  const newButton = page.getByRole('button', { name: windowText('chat:newChat'), exact: true })
  const place = await newButton.boundingBox()
  await search.fill('okapi')
  await expect(hits.first()).toBeVisible()
  expect(await newButton.boundingBox()).toEqual(place)
  await expectAccessible(page)
  await takePictures(page, 'place-search', true)
  await page.getByRole('button', { name: windowText('library:showChats') }).click()
  await expect(line(page, 'okapi')).toBeVisible()
  await expect(search).toHaveValue('')
  await search.fill('okapi')
  await hits.last().click()
  await expect(turns(page)).toContainText('okapi')
  // The bar with the found words does not cover the messages.
  const bar = page.getByRole('search')
  await expect(bar).toBeVisible()
  await takePictures(page, 'place-find', true)
  const [barBox, talkBox] = [await bar.boundingBox(), await talk(page).boundingBox()]
  expect((barBox?.y ?? 0) + (barBox?.height ?? 0)).toBeLessThanOrEqual(talkBox?.y ?? 0)
  await newButton.click()
  await expect(search).toHaveValue('')
  await expect(composer(page)).toBeFocused()
  await search.fill('okapi')
  await expect(hits.first()).toBeVisible()
  await goToPage(page, 'Usage')
  await goToPage(page, 'Chat')
  await expect(search).toHaveValue('')
  await expect(line(page, 'okapi')).toBeVisible()
  await expect(bar).toHaveCount(0)
})

test('in a narrow window the inspector takes no text by itself, commands work in it, and Esc or a command closes it', {
  tag: '@long',
}, async ({ page }) => {
  await page.setViewportSize({ width: 700, height: 800 })
  const inspector = page.getByRole('dialog', { name: windowText('common:inspector') })
  const instructions = page.getByRole('textbox', { name: windowText('chat:instructions') })
  const toggle = page.getByRole('button', { name: windowText('common:inspector') })
  await toggle.click()
  await expect(inspector).toBeVisible()
  await page.keyboard.type('Meant for the message')
  await expect(instructions).toHaveValue('')
  await takePictures(page, 'place-inspector')
  await page.keyboard.press('Escape')
  await expect(inspector).toHaveCount(0)
  await typesIntoMessage(page, 'Esc in the inspector')

  for (const start of ['the inspector', 'a field of it']) {
    await page.keyboard.press('ControlOrMeta+.')
    await expect(inspector).toBeVisible()
    if (start === 'a field of it') await instructions.focus()
    await page.keyboard.press('ControlOrMeta+k')
    const palette = page.getByRole('dialog', { name: windowText('palette:title') })
    await expect(palette).toBeVisible()
    // Esc closes one after the other.
    await page.keyboard.press('Escape')
    await expect(palette).toHaveCount(0)
    await expect(inspector).toBeVisible()
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type(windowText('chat:commandWrite'))
    await page.keyboard.press('Enter')
    await expect(palette).toHaveCount(0)
    await expect(inspector).toHaveCount(0)
    await typesIntoMessage(page, `a command in ${start}`)
  }
  await page.keyboard.press('ControlOrMeta+.')
  await expect(inspector).toBeVisible()
  await page.keyboard.press('ControlOrMeta+.')
  await expect(inspector).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+.')
  await page.keyboard.press('ControlOrMeta+Shift+m')
  await expect(inspector).toHaveCount(0)
  await expect(page.getByRole('combobox', { name: windowText('chat:searchModels') })).toBeFocused()
  await page.keyboard.press('Escape')
  await typesIntoMessage(page, 'the model list')
  await expect(instructions).toHaveCount(0)
})

test('the border of a project file stays visible under the pointer, and the text of a preview wraps', {
  tag: '@long',
}, async ({ page }) => {
  await page.getByRole('button', { name: windowText('library:newFolder'), exact: true }).click()
  await page.getByLabel(windowText('library:name')).fill('Ports')
  await page.locator('input[data-pinned]').setInputFiles({
    name: 'note.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('The harbour master is called Ada.'),
  })
  await page.getByRole('button', { name: windowText('library:create'), exact: true }).click()
  const file = page.getByRole('region', { name: windowText('projects:files') }).getByRole('listitem')
  const open = file.locator('button.chat-document-open')
  await open.hover()
  await takePictures(page, 'place-project-file')
  const [outer, inner] = [await file.boundingBox(), await open.boundingBox()]
  expect((inner?.x ?? 0) - (outer?.x ?? 0)).toBeGreaterThanOrEqual(1)
  expect((inner?.y ?? 0) - (outer?.y ?? 0)).toBeGreaterThanOrEqual(1)
  await newChat(page)

  const text = 'A very long line of a document that goes on and on. '.repeat(20)
  await askModel(page, 'mirror', `\`\`\`markdown\n# Title\n\n${text}\n\`\`\``)
  await lastReply(page)
    .getByRole('button', { name: windowText('preview:open'), exact: true })
    .first()
    .click()
  await page.getByRole('radio', { name: windowText('preview:viewCode') }).check({ force: true })
  const code = page.getByRole('region', { name: windowText('preview:viewCode') })
  await expect(code).toContainText('goes on and on')
  expect(await code.evaluate((box) => box.scrollWidth - box.clientWidth)).toBeLessThanOrEqual(0)
  await takePictures(page, 'place-preview-text')
})
