// `npm run screenshots -- --lang all`: the fullest states in every language, one sheet per language and width in test-results/languages.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { sectionNames } from '../../../src-renderer/features/settings/sections.ts'
import { askModel } from '../../../tests/e2e/journey.ts'
import { root } from '../ready.mjs'
import { type Picture, sheet } from './camera.ts'
import { sendAppRequests } from './localApi.ts'
import { type Connected, loaded, open } from './scene.ts'

const folder = join(root, 'test-results/languages')

interface State {
  name: string
  address: string
  /** What happens on the page, in any language. */
  act?: (page: Page) => Promise<unknown>
}

const dialogOf = (page: Page) => page.locator('dialog[open], [role="dialog"]').last().waitFor()
const press = (keys: string) => async (page: Page) => {
  await page.keyboard.press(keys)
  await dialogOf(page)
}
const click = (selector: string) => async (page: Page) => {
  await page.locator(selector).first().click()
  await dialogOf(page)
}

/** Thirty states, reached by addresses, keys and structure only, because every name is translated. */
const statesOf = (chat: string): State[] => [
  { name: 'chat', address: chat },
  { name: 'new-chat', address: 'chat' },
  { name: 'models', address: 'chat', act: click('.chat-chip[aria-haspopup="dialog"]') },
  { name: 'palette', address: chat, act: press('Control+k') },
  { name: 'shortcuts', address: chat, act: press('Control+/') },
  { name: 'alerts', address: chat, act: click('footer button[aria-haspopup="dialog"] >> nth=-1') },
  ...['speech', 'transcribe', 'images', 'keys', 'usage', 'proxy'].map((page) => ({ name: page, address: page })),
  ...['sessions', 'elsewhere', 'limits', 'corrections'].map((part) => ({
    name: `usage-${part}`,
    address: `usage/${part}`,
  })),
  { name: 'request', address: 'proxy', act: (page) => page.getByRole('row').nth(1).click() },
  { name: 'connect-app', address: 'proxy', act: click('main button:has(svg.lucide-plug)') },
  ...sectionNames.map((section) => ({ name: `settings-${section}`, address: `settings/${section}` })),
]

/** @param languages tags such as `de` @param widths of the window, CSS pixels */
export async function showLanguages(
  { browser, page, host }: Connected,
  languages: readonly string[],
  widths: readonly number[],
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await askModel(page, 'writer-small', 'What does a lighthouse cost?')
  const chat = new URL(page.url()).hash.replace('#/', '')
  await sendAppRequests(host)
  await askModel(page, 'fault/402', 'One more?', 'failed')
  for (const language of languages) {
    await choose(page, language)
    for (const width of widths)
      for (const theme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 820 })
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
        const scenes: { name: string; pictures: Picture[] }[] = []
        for (const state of statesOf(chat)) {
          const path = join(folder, `${language}-${width}-${theme}-${state.name}.png`)
          await shoot(page, state, path)
          scenes.push({ name: state.name, pictures: [{ path, width, sheet: width }] })
        }
        await writeSheet(browser, `${language}-${width}-${theme}`, scenes, width)
      }
    console.log(`${language}: sheets in ${folder}`)
  }
}

async function shoot(page: Page, { name, address, act }: State, path: string): Promise<void> {
  await open(page, address)
  if (address.includes('/') || address !== 'chat') await loaded(page)
  try {
    await act?.(page)
  } catch (thrown) {
    console.log(`${name}: not reached (${String(thrown).split('\n')[0]})`)
  }
  await page.waitForTimeout(250)
  await page.screenshot({ path, animations: 'disabled' })
  if (act) for (let press = 0; press < 2; press++) await page.keyboard.press('Escape')
}

/** Chooses a language by its tag. */
async function choose(page: Page, language: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 820 })
  await open(page, 'settings/language')
  await page.getByRole('main').getByRole('combobox').first().selectOption(language)
  await page.locator(`html[lang="${language}"]`).waitFor()
}

async function writeSheet(
  browser: Browser,
  name: string,
  scenes: { name: string; pictures: Picture[] }[],
  width: number,
): Promise<void> {
  writeFileSync(join(folder, `${name}.webp`), await sheet(browser, scenes, width > 1000 ? 720 : 500))
}
