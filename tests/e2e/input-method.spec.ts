import { expect, type Page, test } from '@playwright/test'
import { lacks } from '../helpers/programs.mjs'
import { windowText } from '../helpers/windowText.ts'
import { compositions, type KeyEvent } from '../renderer/shared/compositions.ts'
import { turns } from './chatWorld.ts'
import { closeHosts, openConnectedHost, openSandbox } from './hosts.ts'
import { composer, pickModel, quick, replies, settled } from './journey.ts'
import { openScreen, type Screen } from './screen.ts'

test.skip(lacks('ibus') !== null, 'ibus')
test.skip(lacks('full-browser') !== null, 'full-browser')

let screen: Screen
let page: Page

test.beforeAll(async () => {
  const sandbox = await openSandbox({ apiKey: 'sk-ime', paces: quick })
  const host = await openConnectedHost({ baseUrl: sandbox.baseUrl, apiKey: 'sk-ime' })
  screen = await openScreen({ GTK_IM_MODULE: 'ibus', XMODIFIERS: '@im=ibus' })
  screen.start('ibus-daemon', ['--panel', 'disable'])
  page = await screen.open(host.url)
  await pickModel(page, 'mirror')
  await composer(page).focus()
  // The engine is there once ibus has started, and belongs to the field that has the focus.
  await expect
    .poll(() => {
      try {
        return screen.run('ibus', 'engine')
      } catch {
        try {
          screen.run('ibus', 'engine', 'libpinyin')
        } catch {
          // Asked again.
        }
        return ''
      }
    })
    .toBe('libpinyin')
})
test.afterAll(async () => {
  await screen?.close()
  await closeHosts()
})

/** Key presses and compositions of the page, from now on. */
async function record(): Promise<() => Promise<KeyEvent[]>> {
  await page.evaluate(() => {
    const seen: unknown[] = []
    Object.assign(globalThis, { seen })
    const see = (event: Event) =>
      seen.push(
        event instanceof KeyboardEvent ? [event.type, event.key, event.keyCode, event.isComposing] : [event.type],
      )
    for (const type of ['keydown', 'compositionstart', 'compositionend']) addEventListener(type, see, true)
  })
  return () => page.evaluate(() => (globalThis as unknown as { seen: KeyEvent[] }).seen)
}

/** The press that ended the composition, its end, and the next real Enter. Releases of keys come or not. */
function ending(events: readonly KeyEvent[]): (KeyEvent | undefined)[] {
  const at = events.findIndex(([type]) => type === 'compositionend')
  const next = events.slice(at).find(([type, , code]) => type === 'keydown' && code === 13)
  return [events[at - 1], events[at], next]
}

const inChat =
  'with a real input method (ibus, pinyin), the Enter that ends a composition does not send, and the next one does'
test(inChat, { tag: '@long' }, async () => {
  const recorded = await record()
  screen.press('n', 'i', 'h', 'a', 'o')
  await expect(composer(page)).toHaveValue('你好')
  screen.press('Return')
  await expect(composer(page)).toHaveValue('nihao')
  expect(await replies(page).count()).toBe(0)
  screen.press('Return')
  await settled(page, 'complete')
  await expect(composer(page)).toHaveValue('')
  expect(ending(await recorded())).toEqual(ending(compositions['Chromium on Linux, ibus (recorded)']))

  // The space bar chooses. The two Enters follow each other without a pause.
  screen.press('n', 'i', 'h', 'a', 'o', 'space', 'n', 'i', 'Return', 'Return')
  await expect(turns(page)).toHaveCount(2)
  await expect(turns(page).last()).toContainText('你好ni')
  await settled(page, 'complete')
})

const inPalette = 'a key that ends a composition neither runs a command of the palette nor closes it'
test(inPalette, { tag: '@long' }, async () => {
  await composer(page).focus()
  screen.press('ctrl+k')
  const palette = page.getByRole('dialog', { name: windowText('palette:title') })
  const field = palette.getByRole('combobox')
  await expect(field).toBeFocused()
  screen.press('x', 'i', 'n')
  await expect(field).toHaveValue('新')
  screen.press('Return')
  await expect(field).toHaveValue('xin')
  screen.press('x', 'i', 'n')
  await expect(field).toHaveValue('xin新')
  screen.press('Escape')
  await expect(field).toHaveValue('xin')
  await expect(palette).toBeVisible()
  screen.press('Escape')
  await expect(palette).toBeHidden()
})
