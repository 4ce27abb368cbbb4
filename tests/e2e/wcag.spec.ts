import { expect, type Page, test } from '@playwright/test'
import { pageNames } from '../../src-renderer/stores/route.ts'
import { inspect } from '../renderer/i18n/inspect.ts'
import { type ChatWorld, openChatWorld, violations } from './chatWorld.ts'
import { askModel, composer, pickModel, send, settled } from './journey.ts'

// What docs/accessibility.md promises for every page, and no other test shows.

test.describe.configure({ mode: 'default' })
let world: ChatWorld

test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())
test.beforeEach(({ page }) => world.enter(page))

/** Opens each page, and returns what `look` finds there. */
async function onEveryPage(page: Page, look: (name: string) => Promise<string[]>): Promise<string[]> {
  const found: string[] = []
  for (const name of pageNames) {
    await page.evaluate((to) => {
      location.hash = `#/${to}`
    }, name)
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
    found.push(...(await look(name)).map((fault) => `${name}: ${fault}`))
  }
  return found
}

/** Boxes of the page that scroll sideways, except tables and code, and controls outside of the window. */
const sideways = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const isWide = (box: Element): boolean =>
      ['auto', 'scroll'].includes(getComputedStyle(box).overflowX) && box.scrollWidth > box.clientWidth + 1
    const named = (element: Element): string => `${element.tagName.toLowerCase()}.${element.className}`
    const boxes = [document.documentElement, ...document.querySelectorAll('main *')].filter(
      (box) => box.checkVisibility() && isWide(box) && box.querySelector(':scope > table, :scope > code') === null,
    )
    const outside = [...document.querySelectorAll('main :is(button, input, textarea, select)')].filter((control) => {
      const { left, right } = control.getBoundingClientRect()
      return control.checkVisibility() && control.closest('table') === null && (left < -1 || right > innerWidth + 1)
    })
    return [...boxes.map((box) => `scrolls: ${named(box)}`), ...outside.map((one) => `outside: ${named(one)}`)]
  })

const zoom = 'at 200 % and 400 % zoom, no page scrolls in two directions, and messages stay readable'
test(zoom, { tag: '@long' }, async ({ page }) => {
  await askModel(page, 'mirror', 'What fits into a small window?')
  const chat = page.url()
  // 1440 by 900 at 200 %, and 1280 by 1024 at 400 %.
  for (const [width, height] of [
    [720, 450],
    [320, 256],
  ] as const) {
    await page.setViewportSize({ width, height })
    expect(await onEveryPage(page, () => sideways(page)), `${width} px`).toEqual([])
    await page.goto(chat)
    const talk = page.locator('.chat-talk')
    await expect.poll(async () => (await talk.boundingBox())?.height ?? 0).toBeGreaterThanOrEqual(150)
    await composer(page).fill('Another one')
    await composer(page).press('Enter')
    await settled(page, 'complete')
  }
})

test('with the text spacing of WCAG 1.4.12, nothing is cut off or overlaps on any page', { tag: '@long' }, async ({
  page,
}) => {
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(
      '* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important } p { margin-bottom: 2em !important }',
    )
    document.adoptedStyleSheets.push(sheet)
  })
  expect(await onEveryPage(page, () => inspect(page, null))).toEqual([])
})

test('targets are 24 px large or far enough from each other on every page', { tag: '@long' }, async ({ page }) => {
  await askModel(page, 'mirror', 'How large is a button?')
  const small = async () => (await violations(page, 'html', ['target-size'])).flatMap(({ nodes }) => nodes)
  expect(await small(), 'an open chat').toEqual([])
  expect(await onEveryPage(page, small)).toEqual([])
})

test('with reduced motion nothing moves, also while a reply arrives', { tag: '@long' }, async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const moving = (): Promise<string[]> =>
    page.evaluate(() =>
      [...document.querySelectorAll('*')].flatMap((element) => {
        const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element)
        const moves = animationName !== 'none' || !/^0s(, 0s)*$/.test(transitionDuration) || scrollBehavior === 'smooth'
        return moves ? [`${element.tagName.toLowerCase()}.${element.className}`] : []
      }),
    )
  await pickModel(page, 'writer-small')
  await send(page, 'Write while I look.')
  await expect(page.locator('article[aria-busy="true"]').first()).toBeVisible()
  expect(await moving(), 'a reply that arrives').toEqual([])
  await settled(page, 'complete')
  expect(await onEveryPage(page, moving)).toEqual([])
})

test('with forced colours, the focus, what is chosen, and switches are drawn by lines and not by backgrounds', {
  tag: '@long',
}, async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  const outlineOf = (selector: string): Promise<string> =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => `${getComputedStyle(element).outlineStyle} ${getComputedStyle(element).outlineWidth}`)
  expect(await outlineOf('nav a[aria-current="page"]')).toBe('solid 2px')
  expect(await outlineOf('nav a:not([aria-current])')).toMatch(/^none /)
  await composer(page).press('Tab')
  expect(await outlineOf(':focus')).toBe('solid 2px')
  const edge = (selector: string): Promise<string> =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).borderTopStyle)
  await page.keyboard.press('ControlOrMeta+k')
  expect(await edge('dialog[open]')).toBe('solid')
  expect(await outlineOf('[role="option"][aria-selected="true"]')).toBe('solid 2px')
  await page.keyboard.press('Escape')
  await page.keyboard.press('ControlOrMeta+7')
  const thumb = (): Promise<string> =>
    page
      .locator('[role="switch"] > span')
      .first()
      .evaluate((element) => getComputedStyle(element).backgroundColor)
  await expect(page.getByRole('switch').first()).toBeChecked()
  const on = await thumb()
  expect(await edge('[role="switch"]')).toBe('solid')
  await page.getByRole('switch').first().click()
  await expect(page.getByRole('switch').first()).not.toBeChecked()
  expect(await thumb()).not.toBe(on)
  await page.getByRole('switch').first().click()
})

test('the focused element is never hidden behind another one, in a wide and in a narrow window', {
  tag: '@long',
}, async ({ page }) => {
  await askModel(page, 'writer-small', 'A long answer, please.')
  const hidden = (): Promise<string[]> =>
    page.evaluate(() => {
      const focused = document.activeElement
      if (!focused || focused === document.body) return []
      const { left, top, width, height } = focused.getBoundingClientRect()
      const points = [0.1, 0.5, 0.9].flatMap((x) => [0.1, 0.5, 0.9].map((y) => [left + width * x, top + height * y]))
      const isSeen = points.some(([x = 0, y = 0]) => {
        const there = document.elementFromPoint(x, y)
        return there !== null && (focused.contains(there) || there.contains(focused))
      })
      return isSeen ? [] : [`${focused.tagName} ${focused.getAttribute('aria-label') ?? focused.textContent}`]
    })
  for (const width of [1200, 700]) {
    await page.setViewportSize({ width, height: 600 })
    await page.locator('nav a').first().focus()
    const faults: string[] = []
    for (let press = 0; press < 45; press += 1) {
      await page.keyboard.press('Tab')
      faults.push(...(await hidden()))
    }
    expect(faults, `${width} px`).toEqual([])
  }
})
