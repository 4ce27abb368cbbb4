import { expect, type Locator, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import {
  type ChatWorld,
  expectAccessible,
  hoverAtRest,
  newChat,
  openChatWorld,
  takePictures,
  turns,
} from './chatWorld.ts'
import {
  addToMessage,
  askModel,
  composer,
  lastReply,
  openInspector,
  openRawView,
  pickModel,
  send,
  settled,
} from './journey.ts'

let world: ChatWorld

test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(async () => {
  await world.close()
})
test.beforeEach(async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await world.enter(page)
})

const edges = (locator: Locator): Promise<{ left: number; right: number; width: number }> =>
  locator.evaluate((element) => {
    const { left, right, width } = element.getBoundingClientRect()
    return { left, right, width }
  })

/** The first line of a long letter that is visible in the messages. */
const topLine = (page: Page): Promise<string | null> =>
  page.locator('.chat-talk').evaluate((box) => {
    const { top } = box.getBoundingClientRect()
    const lines = [...box.querySelectorAll('p')].filter((line) => line.textContent?.startsWith('Line '))
    return lines.find((line) => line.getBoundingClientRect().top >= top)?.textContent ?? null
  })

/** The smallest contrast of the letter on a model's avatar, over all avatars on the page (WCAG 2, relative luminance). */
const avatarContrast = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
    const luminance = (color: string): number => {
      if (!canvas) return 0
      canvas.fillStyle = color
      canvas.fillRect(0, 0, 1, 1)
      const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((byte) => {
        const share = byte / 255
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const contrasts = [...document.querySelectorAll('article header > [aria-hidden]')].map((avatar) => {
      const { color, backgroundColor } = getComputedStyle(avatar)
      const [dark = 0, light = 0] = [luminance(color), luminance(backgroundColor)].sort((a, b) => a - b)
      return (light + 0.05) / (dark + 0.05)
    })
    return Math.min(...contrasts)
  })

test('messages of the person are bubbles at the end of the line, replies start at its beginning with the colour of their model', {
  tag: '@long',
}, async ({ page }) => {
  await askModel(page, 'mirror', 'A short question.')
  const talk = await edges(page.getByRole('region', { name: windowText('chat:conversation') }))
  const bubble = await edges(turns(page).locator('[data-part="text"]'))
  const reply = await edges(lastReply(page).locator('[data-part="text"]'))
  expect(bubble.width).toBeLessThan(talk.width / 3)
  expect(bubble.right).toBeGreaterThan(reply.right - 2)
  expect(bubble.left).toBeGreaterThan(reply.left + 100)

  const avatar = lastReply(page).locator('header > [aria-hidden]')
  const color = () => avatar.evaluate((element) => getComputedStyle(element).backgroundColor)
  const first = await color()
  await pickModel(page, 'writer-small')
  await send(page, 'And another model?')
  await expect(lastReply(page).getByRole('heading', { name: 'writer-small' })).toBeVisible()
  await settled(page, 'complete')
  expect(await color()).not.toBe(first)
  await pickModel(page, 'mirror')
  await send(page, 'The first one again.')
  await expect(lastReply(page).getByRole('heading', { name: 'mirror' })).toBeVisible()
  await settled(page, 'complete')
  expect(await color()).toBe(first)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await avatarContrast(page)).toBeGreaterThanOrEqual(4.5)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('A short question')
  await page.getByRole('button', { name: windowText('chat:chatMenu'), exact: true }).click()
  await expect(page.getByRole('menuitem')).toHaveText(['Export…', 'Move to…', 'Rename', 'Delete'])
  await takePictures(page, 'chat-menu', true)
  await page.getByRole('menuitem', { name: windowText('chat:rename'), exact: true }).press('Enter')
  await expect(page.locator('.chat-bar input')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(composer(page)).toBeFocused()
  await expectAccessible(page)
  await takePictures(page, 'chat-layout', true)
})

test('the composer has the model beside Send, and one menu for files, prompts, role and tools', {
  tag: '@long',
}, async ({ page }) => {
  await pickModel(page, 'mirror')
  const model = await edges(page.getByRole('button', { name: 'Model: mirror' }))
  const go = await edges(page.getByRole('button', { name: windowText('chat:send'), exact: true }))
  expect(go.left - model.right).toBeLessThan(12)

  await page.getByRole('button', { name: windowText('composer:addMenu') }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem')).toHaveText(['Attach files…', 'Insert prompt', 'Message role…', 'Tools…'])
  await expect(page.getByRole('menuitem', { name: windowText('composer:attach') })).toBeFocused()
  await expectAccessible(page)
  await takePictures(page, 'chat-add-menu')
  const files = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: windowText('composer:attach') }).press('Enter')
  expect((await files).isMultiple()).toBe(true)
  await (await files).setFiles([
    {
      name: 'harbour.png',
      mimeType: 'image/png',
      buffer: await page.screenshot({ clip: { x: 0, y: 0, width: 20, height: 20 } }),
    },
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('The harbour opens at six.') },
  ])
  await expect(page.getByRole('list', { name: windowText('composer:picturesToSend') })).toContainText('harbour.png')
  await expect(page.getByRole('list', { name: windowText('documents:toSend') })).toContainText('notes.txt')
  for (const key of ['composer:removePicture', 'documents:remove'] as const)
    await page
      .getByRole('button', {
        name: windowText(key, { name: key === 'documents:remove' ? 'notes.txt' : 'harbour.png' }),
      })
      .click()

  await addToMessage(page, 'Message role…')
  const role = page.getByRole('dialog', { name: windowText('composer:roleTitle') })
  await role.getByText(windowText('chat:roleSystem'), { exact: true }).click()
  await page.keyboard.press('Escape')
  await expect(role).toHaveCount(0)
  await expect(composer(page)).toBeFocused()
  await page.getByRole('button', { name: 'Message role: System' }).click()
  await expect(role).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'chat-role', true)
  await role.getByText(windowText('composer:roleUser'), { exact: true }).click()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: /^Message role/ })).toHaveCount(0)

  await addToMessage(page, 'Tools…')
  await expect(page.getByRole('dialog', { name: windowText('chatTools:title') })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: windowText('chatTools:title') })).toHaveCount(0)
  await expect(composer(page)).toBeFocused()
  await addToMessage(page, 'Insert prompt')
  await expect(page.getByRole('dialog', { name: windowText('library:prompts') })).toBeVisible()
})

test('the inspector opens on demand: instructions, then the usual parameters, the others folded until the person opens them', {
  tag: '@long',
}, async ({ page }) => {
  const inspector = page.getByRole('complementary', { name: windowText('common:inspector') })
  await expect(inspector).toHaveCount(0)
  await openInspector(page)
  const headings = inspector.getByRole('heading', { level: 2 })
  await expect(headings.first()).toHaveText('Instructions')
  await expect(headings.nth(1)).toContainText('Parameters')
  await expect(inspector.getByLabel(windowText('chat:paramTemperature'), { exact: true })).toBeVisible()
  await expect(inspector.getByLabel(windowText('chat:paramMaxTokens'), { exact: true })).toBeVisible()
  await expect(inspector.getByLabel(windowText('chat:paramTopP'), { exact: true })).toBeHidden()
  await openInspector(page, { advanced: true })
  await inspector.getByLabel(windowText('chat:paramTopP'), { exact: true }).fill('0.5')
  await inspector.locator('summary', { hasText: 'Advanced' }).click()
  await expect(inspector.getByText('1 set', { exact: true })).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'chat-inspector', true)
  await inspector.locator('summary', { hasText: 'Advanced' }).click()
  await page.reload()
  await openInspector(page)
  await expect(inspector.getByLabel(windowText('chat:paramTopP'), { exact: true })).toHaveValue('0.5')
  await page.getByRole('button', { name: windowText('chat:resetAll') }).click()
})

test('the figures of a reply are quiet until it is hovered or focused', { tag: '@long' }, async ({ page }) => {
  await askModel(page, 'mirror', 'Count.')
  const figures = lastReply(page).getByRole('button', { name: /^Reply details/ })
  await page.mouse.move(5, 5)
  await composer(page).focus()
  await expect(figures.getByText(/SC/).filter({ visible: true })).toHaveText(/^\S+ SC est\.$/)
  await expect(figures.getByText(/tok\/s|tokens/).filter({ visible: true })).toHaveCount(0)
  await figures.focus()
  await expect(figures.getByText(/tokens · .* s to first/).filter({ visible: true })).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: windowText('chat:thisReply') })).toBeVisible()
})

async function compare(page: Page, ...models: string[]): Promise<void> {
  await pickModel(page, models[0] ?? '')
  await page.getByRole('button', { name: /^Model/ }).click()
  await page.getByRole('radio', { name: windowText('chat:modelsCompare') }).click()
  for (const model of models.slice(1)) {
    await page.getByRole('combobox', { name: windowText('chat:searchModels') }).fill(model)
    await page.getByRole('option', { name: model }).first().click()
  }
  await page.keyboard.press('Escape')
}

const columns = (page: Page): Locator =>
  page.getByRole('region', { name: windowText('chat:besideScroll') }).getByRole('article')

async function allComplete(page: Page, count: number): Promise<void> {
  await expect(columns(page)).toHaveCount(count)
  for (let at = 0; at < count; at += 1)
    await expect(columns(page).nth(at)).toHaveAttribute('data-status', 'complete', { timeout: 30_000 })
}

/** Boxes outside the compared replies that can scroll sideways, by hand or by focus: `tag.class scrollWidth > clientWidth`. */
const sidewaysScrollers = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('*')]
      .filter((box) => {
        const { overflowX } = getComputedStyle(box)
        const canScroll = box === document.scrollingElement || overflowX === 'auto' || overflowX === 'hidden'
        return canScroll && box.clientWidth > 1 && box.scrollWidth > box.clientWidth
      })
      .filter((box) => getComputedStyle(box).textOverflow !== 'ellipsis' && !box.closest('.chat-beside'))
      .map((box) => `${box.localName}.${box.className} ${box.scrollWidth} > ${box.clientWidth}`),
  )

test('four models fit beside one another: the inspector leaves, the columns scroll sideways, and none is selected before the person selects it', {
  tag: '@long',
}, async ({ page }) => {
  await openInspector(page)
  await compare(page, 'mirror', 'writer-small', 'writer-free', 'vision')
  await composer(page).fill('A word for the four of you.')
  await page.getByRole('button', { name: 'Send to 4' }).click()
  await allComplete(page, 4)
  await expect(page.getByRole('complementary', { name: windowText('common:inspector') })).toHaveCount(0)
  await expect(
    page.getByText('Choose a reply to continue with. Until then, the chat continues with mirror.'),
  ).toBeVisible()
  await expect(page.getByText(windowText('chat:selected'), { exact: true })).toHaveCount(0)
  for (let at = 0; at < 4; at += 1) expect((await edges(columns(page).nth(at))).width).toBeGreaterThanOrEqual(260)
  // The list gives its width to the columns, so that all four fit.
  const list = page.getByRole('navigation', { name: windowText('library:list') })
  await expect(list).toHaveCount(0)
  expect((await edges(columns(page).nth(3))).right).toBeLessThanOrEqual(1280)
  const scroller = page.getByRole('region', { name: windowText('chat:besideScroll') })
  expect(await scroller.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
  // No two models of a chat have one colour.
  const colors = await page
    .locator('.chat-column-names .chat-who > span')
    .evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor))
  expect(new Set(colors).size).toBe(4)
  await page.keyboard.press('ControlOrMeta+b')
  await expect(list).toBeVisible()
  // Only the columns scroll, also where the chat list leaves them little space, or a control of the last column gets the focus.
  for (const width of [1280, 1100, 900, 700]) {
    await page.setViewportSize({ width, height: 800 })
    await columns(page).nth(3).getByRole('button').last().focus()
    expect(await sidewaysScrollers(page), `at ${width} px`).toEqual([])
    expect(await page.evaluate(() => document.scrollingElement?.scrollLeft)).toBe(0)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  const heights = await columns(page).evaluateAll((all) => all.map((one) => one.clientHeight))
  expect(new Set(heights).size).toBeGreaterThan(1)
  await expectAccessible(page)
  await takePictures(page, 'chat-compare-four', true)

  // The search goes through every column, and shows the one with the match.
  await page.keyboard.press('ControlOrMeta+f')
  await page.getByRole('textbox', { name: windowText('chat:find') }).fill('the')
  await expect(page.locator('search output')).toHaveText(/^1 of \d+$/)
  const found = await page.locator('search output').innerText()
  const total = Number(/of (\d+)/.exec(found)?.[1])
  expect(total).toBeGreaterThan(2)
  await page.keyboard.press('Shift+Enter')
  await expect(page.locator('search output')).toHaveText(`${total} of ${total}`)
  await expect
    .poll(() =>
      page.evaluate(() => {
        const [range] = CSS.highlights.get('chat-find-current') ?? []
        const box = range instanceof Range ? range.getBoundingClientRect() : null
        return box !== null && box.left > 0 && box.right < innerWidth && box.top > 0 && box.bottom < innerHeight
      }),
    )
    .toBe(true)
  await page.keyboard.press('Escape')

  const second = columns(page).nth(1)
  await second.getByRole('button', { name: 'Use this reply: writer-small' }).click()
  await expect(second.getByText(windowText('chat:selected'), { exact: true })).toBeVisible()
  await expect(page.getByText(windowText('chat:selected'), { exact: true })).toHaveCount(1)

  await page.keyboard.press('ControlOrMeta+b')
  await expect(list).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+b')
  await newChat(page)
  await expect(list).toBeVisible()
  await expect(page.getByRole('button', { name: /^Model: [^,]+$/ })).toBeVisible()
  await expect(page.getByRole('button', { name: windowText('chat:send'), exact: true })).toBeVisible()
})

test('a narrow window shows whole columns, and a button scrolls to those that are hidden', { tag: '@long' }, async ({
  page,
}) => {
  await compare(page, 'mirror', 'writer-small', 'writer-free')
  await composer(page).fill('A word for the three of you.')
  await page.getByRole('button', { name: 'Send to 3' }).click()
  await allComplete(page, 3)
  const next = page.getByRole('button', { name: windowText('chat:besideNext'), exact: true })
  const previous = page.getByRole('button', { name: windowText('chat:besidePrevious'), exact: true })
  await expect(next).toHaveCount(0)
  const scroller = page.getByRole('region', { name: windowText('chat:besideScroll') })
  /** How much of each column is in view, px of its width. */
  const shown = async () => {
    const box = await edges(scroller)
    const all = await Promise.all([0, 1, 2].map((at) => edges(columns(page).nth(at))))
    return all.map(({ left, right, width }) =>
      Math.min(right, box.right) - Math.max(left, box.left) >= width - 1
        ? 'whole'
        : Math.max(0, Math.min(right, box.right) - Math.max(left, box.left)) <= 30
          ? 'edge'
          : 'part',
    )
  }
  for (const [width, first, second] of [
    [700, ['whole', 'whole', 'edge'], ['edge', 'whole', 'whole']],
    [480, ['whole', 'edge', 'edge'], ['edge', 'whole', 'edge']],
  ] as const) {
    await page.setViewportSize({ width, height: 820 })
    await expect.poll(shown).toEqual(first)
    await expect(previous).toHaveCount(0)
    await takePictures(page, `chat-compare-three-${width}`)
    await next.click()
    await expect.poll(shown).toEqual(second)
    await expect(previous).toBeVisible()
    await expect(scroller).toBeFocused()
    await expectAccessible(page)
    await previous.click()
    await expect.poll(shown).toEqual(first)
  }
})

test('a settled reply is announced once as plain text, without the marks of Markdown', { tag: '@long' }, async ({
  page,
}) => {
  await page.evaluate(() => {
    const said: string[] = []
    Object.assign(globalThis, { said })
    const log = document.querySelector('[role="log"]')
    if (log)
      new MutationObserver(() => said.push(log.textContent ?? '')).observe(log, {
        subtree: true,
        childList: true,
        characterData: true,
      })
  })
  await askModel(page, 'mirror', 'Say **this**.')
  const said = () => page.evaluate(() => (globalThis as unknown as { said: string[] }).said)
  await expect.poll(async () => (await said()).length).toBeGreaterThan(0)
  const [announcement = '', ...more] = await said()
  expect(more).toEqual([])
  expect(announcement).toMatch(/^mirror replied: What arrived/)
  expect(announcement).not.toMatch(/```|\*\*|^#+ |\|/m)
})

test('nothing moves under a pressed pointer: Edit opens while the reply above the end grows', { tag: '@long' }, async ({
  page,
}) => {
  await askModel(page, 'mirror', 'Edit me.')
  const edit = turns(page).getByRole('button', { name: windowText('chat:edit'), exact: true })
  const at = async (): Promise<number> => (await edit.boundingBox())?.y ?? Number.NaN
  const conversation = page.getByRole('region', { name: windowText('chat:conversation') })
  const fromEnd = () =>
    conversation.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)
  /** As highlighted code or a diagram does that is ready late. */
  const grow = (px: number) =>
    lastReply(page)
      .locator('[data-part="text"]')
      .evaluate(async (element, by) => {
        element.style.paddingBottom = `${by}px`
        for (const _ of [1, 2, 3]) await new Promise((resolve) => requestAnimationFrame(resolve))
      }, px)
  await hoverAtRest(page, turns(page), edit)
  const before = await at()
  await page.mouse.down()
  await grow(2000)
  expect(await at()).toBe(before)
  await page.mouse.up()
  const field = page.getByRole('textbox', { name: windowText('chat:editText') })
  await expect(field).toBeFocused()
  await grow(2100)
  await expect(field).toBeInViewport()
  await page.keyboard.press('Escape')
  await expect.poll(fromEnd).toBeLessThan(2)
})

test('the keys of an edit are readable as a whole, and a diagram follows the theme in force', { tag: '@long' }, async ({
  page,
}) => {
  await askModel(page, 'mirror', 'Edit me.')
  await turns(page).hover()
  await turns(page)
    .getByRole('button', { name: windowText('chat:edit'), exact: true })
    .click()
  const hint = turns(page).getByText('to send, Esc to cancel. The original is kept.')
  expect(await hint.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
  await expectAccessible(page)
  await takePictures(page, 'chat-edit', true)
  await page.keyboard.press('Escape')

  await addToMessage(page, 'Message role…')
  await page.getByText(windowText('chat:assistant'), { exact: true }).click()
  await page.keyboard.press('Escape')
  await composer(page).fill('```mermaid\nflowchart LR\n  a[Start] -->|yes| b[End]\n```')
  await page.getByRole('button', { name: windowText('composer:add'), exact: true }).click()
  await page.emulateMedia({ colorScheme: 'dark' })
  await lastReply(page)
    .getByRole('button', { name: windowText('markdown:draw') })
    .click()
  const label = page.frameLocator('iframe').getByText('Start', { exact: true })
  await expect(label).toBeVisible()
  const light = (): Promise<boolean> =>
    label.evaluate((element) => {
      const { fill, color } = getComputedStyle(element)
      const [red = 0] = (fill === 'none' ? color : fill).match(/\d+/g)?.map(Number) ?? []
      return red > 128
    })
  await expect.poll(light).toBe(true)
  await takePictures(page, 'chat-diagram')
  await page.emulateMedia({ colorScheme: 'light' })
  await expect.poll(light).toBe(false)
})

test('a single message is deleted with what follows from it, after a question that says so, and undo brings it back', {
  tag: '@long',
}, async ({ page }) => {
  await askModel(page, 'mirror', 'Keep this.')
  await send(page, 'Delete this.')
  await expect(turns(page)).toHaveCount(2)
  await settled(page, 'complete')
  const remove = async (message: Locator): Promise<void> => {
    await message.getByRole('button', { name: windowText('chat:moreActions'), exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: windowText('chat:remove'), exact: true }).click()
  }
  await remove(turns(page).last())
  const question = page.getByRole('dialog', { name: windowText('chat:removeMessageTitle') })
  await expect(question).toContainText('The next message is deleted too, because it belongs to this one.')
  await expectAccessible(page)
  await takePictures(page, 'chat-delete-message', true)
  await question.getByRole('button', { name: windowText('chat:remove'), exact: true }).click()
  await expect(turns(page)).toHaveCount(1)
  await expect(page.getByText('2 messages were deleted.')).toBeVisible()
  await page.getByRole('button', { name: windowText('chat:undo') }).click()
  await expect(turns(page)).toHaveCount(2)
  // Nothing is below the last reply, so it is deleted without a question. The deletion is stored, not only shown.
  await remove(lastReply(page))
  await expect(page.getByText('The message was deleted.')).toBeVisible()
  await page.reload()
  await expect(turns(page)).toHaveCount(2)
  await expect(page.locator('article[data-role="assistant"]')).toHaveCount(1)
})

test('the raw request is coloured, searched with Ctrl+F, and as large as the person wants', { tag: '@long' }, async ({
  page,
}) => {
  await askModel(page, 'mirror', 'Find the needle, and the needle again.')
  const { dialog, body } = await openRawView(page)
  await expect(body.locator('[class^="md-k"]').first()).toBeVisible()
  await body.focus()
  await page.keyboard.press('ControlOrMeta+f')
  await expect(dialog.getByRole('searchbox', { name: windowText('chat:rawFind') })).toBeFocused()
  await page.keyboard.type('needle')
  await expect(dialog.locator('output')).toHaveText('1 of 2')
  await page.keyboard.press('Enter')
  await expect(dialog.locator('output')).toHaveText('2 of 2')
  await page.keyboard.press('Enter')
  await expect(dialog.locator('output')).toHaveText('1 of 2')
  await expect.poll(() => page.evaluate(() => CSS.highlights.get('text-find')?.size ?? 0)).toBe(2)
  await expectAccessible(page)
  await takePictures(page, 'chat-raw', true)
  await dialog.getByRole('searchbox', { name: windowText('chat:rawFind') }).fill('nowhere')
  await expect(dialog.locator('output')).toHaveText('No results')
  const before = await edges(dialog)
  await dialog.getByRole('button', { name: windowText('chat:rawFull') }).click()
  expect((await edges(dialog)).width).toBeGreaterThan(before.width)
  await dialog.getByRole('button', { name: windowText('chat:rawSmaller') }).click()
  // Its corner can be dragged.
  expect(await dialog.evaluate((element) => getComputedStyle(element).resize)).toBe('both')
})

test('the open chat and its scroll position are there again after a visit to other pages, also after a reload there', {
  tag: '@long',
}, async ({ page }) => {
  const rail = page.getByRole('navigation', { name: windowText('shell:pages.label') })
  const box = page.locator('.chat-talk')
  const top = (): Promise<number> => box.evaluate((element) => element.scrollTop)
  await pickModel(page, 'mirror')
  await send(page, Array.from({ length: 120 }, (_, line) => `Line ${line} of a long letter.`).join('\n\n'))
  await settled(page, 'complete')
  await box.hover()
  const end = await top()
  await page.mouse.wheel(0, -1500)
  await expect.poll(top).toBeLessThan(end - 1400)
  const address = page.url()
  const firstLine = await topLine(page)
  await rail.getByRole('link', { name: windowText('shell:pages.usage') }).click()
  await expect(box).toHaveCount(0)
  await rail.getByRole('link', { name: windowText('shell:pages.chat') }).click()
  await expect(page).toHaveURL(address)
  await expect.poll(() => topLine(page)).toBe(firstLine)
  await page.keyboard.press('Control+8')
  await expect(box).toHaveCount(0)
  await page.reload()
  await expect(rail).toBeVisible()
  await page.keyboard.press('Control+1')
  await expect(page).toHaveURL(address)
  await expect.poll(() => topLine(page)).toBe(firstLine)
  // From an open chat, the link leads to a new one.
  await rail.getByRole('link', { name: windowText('shell:pages.chat') }).click()
  await expect(page.getByRole('heading', { name: windowText('chat:emptyTitle') })).toBeVisible()
})
