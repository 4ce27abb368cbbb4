import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { MenuItem, MessageBoxOptions } from 'electron'
import { closeHosts, openSandbox } from '../../../tests/e2e/hosts.ts'
import { askModel, composer, connectApp, connectTo, pickModel, quick, send } from '../../../tests/e2e/journey.ts'
import type { Desktop } from '../../../tests/helpers/electron/launch.ts'
import { windowText } from '../../../tests/helpers/windowText.ts'
import { type Drawn, type DrawnItem, drawModels } from './drawings.ts'
import { open, openPage, type Studio } from './scene.ts'

/**
 * The desktop application under the replacement of Electron: its pages as pictures, and its menus, tray and dialogs as drawings of the
 * recorded models.
 */
export async function desktop({ browser, camera }: Studio): Promise<void> {
  // The models are recorded by the replacement only.
  process.env.STUDIO_DESKTOP = 'replacement'
  const { closeDesktops, launchDesktop, runDesktopToItsEnd } = await import('../../../tests/helpers/electron/launch.ts')
  const folder = mkdtempSync(join(tmpdir(), 'studio-desktop-'))
  const sandbox = await openSandbox({ paces: quick })
  try {
    // Each question is cancelled.
    const studio = await launchDesktop(join(folder, 'data'), {
      answers: [{ response: 2 }, { response: 1 }, { response: 0 }],
    })
    const { page } = studio
    page.setDefaultTimeout(30_000)
    await connectTo(page, sandbox.baseUrl, sandbox.apiKey)
    await askModel(page, 'guide', 'How do I set a budget?')
    for (const section of ['proxy', 'shortcuts', 'about'] as const) {
      await open(page, `settings/${section}`)
      await page.locator(`[data-settings="${section}"]`).waitFor()
      await camera.shoot(page, `settings-${section}`)
    }
    await open(page, 'proxy')
    await page.getByRole('switch', { name: windowText('proxy:listen') }).click()
    await page.getByText(windowText('proxy:state.off'), { exact: true }).waitFor()
    await camera.shoot(page, 'local-api-off')
    await page.getByRole('switch', { name: windowText('proxy:listen') }).click()
    await page.getByText(windowText('proxy:state.on'), { exact: true }).waitFor()
    await open(page, 'chat')
    await composer(page).click({ button: 'right' })
    const small = await quickPrompt(studio, { browser, camera })
    const items = await question(studio, small, { browser, camera })
    const questions = await dialogs(studio)
    writeFileSync(join(folder, 'file'), '')
    const { errors } = await runDesktopToItsEnd(join(folder, 'file'))
    const drawn: Drawn = { ...items, dialogs: [...questions, ...errorBoxes(errors.replaceAll(folder, '/home/ada'))] }
    const drawing = await openPage(browser)
    for (const part of ['menus', 'dialogs'] as const) {
      await drawing.setContent(drawModels(drawn, part))
      await camera.shoot(drawing, part)
    }
    await drawing.close()
  } finally {
    await closeDesktops()
    await closeHosts()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const smallSize = { at: { width: 640, height: 400 } }

/** The small window, at its own size. Returns its page. */
async function quickPrompt(studio: Desktop, { camera }: Studio): Promise<Page> {
  await studio.evaluate(() => {
    const { pressShortcut } = globalThis as unknown as { pressShortcut(keys: string): void }
    pressShortcut('Alt+Shift+Space')
  })
  const small = await studio.pageAt(/\/app\/quick\//)
  const prompt = small.getByRole('textbox', { name: windowText('quick:prompt') })
  await prompt.waitFor()
  await camera.shoot(small, 'quick-prompt', smallSize)
  await studio.evaluate(({ clipboard }) => clipboard.writeText('Where is my API key stored?'))
  await prompt.fill('Answer this:')
  await small.keyboard.press('ControlOrMeta+Shift+V')
  await small
    .getByRole('list', { name: windowText('quick:attached') })
    .getByRole('listitem')
    .waitFor()
  await camera.shoot(small, 'quick-prompt-clipboard', smallSize)
  await prompt.press('Enter')
  await small.locator('.quick-reply[data-status="complete"]').waitFor()
  await camera.shoot(small, 'quick-prompt-reply', smallSize)
  return small
}

/** Two requests of an app that asks at its budget: in the small window, and in the menus, which are returned. */
async function question(studio: Desktop, small: Page, { camera }: Studio): Promise<Omit<Drawn, 'dialogs'>> {
  const { page } = studio
  await open(page, 'proxy')
  const key = await connectApp(page, 'Release notes', async (dialog) => {
    await dialog.getByLabel(windowText('proxy:form.budgetDay')).fill('0.001')
    await dialog.getByRole('radio', { name: windowText('proxy:form.atBudgetAsk') }).click()
  })
  const [address = ''] = /http:\S+/.exec((await menus(studio)).tray.items[0]?.label ?? '') ?? []
  const ended = new AbortController()
  for (const content of ['Summarise the changes of this week.', 'Write a headline for them.']) {
    fetch(`${address}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'writer-large', max_tokens: 2_000, messages: [{ role: 'user', content }] }),
      signal: ended.signal,
    }).catch(() => null)
  }
  const card = { name: windowText('questions:card', { app: 'Release notes' }) }
  await small.getByRole('article', card).waitFor()
  await camera.shoot(small, 'quick-prompt-question', smallSize)
  const asks = (items: DrawnItem[]) => items.some(({ submenu, label }) => submenu && /: 2 /.test(label))
  let items = await menus(studio)
  for (let tries = 0; tries < 100 && !asks(items.tray.items); tries += 1) {
    await new Promise((next) => setTimeout(next, 100))
    items = await menus(studio)
  }
  ended.abort()
  await small.getByRole('article', card).waitFor({ state: 'detached' })
  await open(page, 'chat')
  return items
}

interface Recorded {
  shown: { tray: { toolTip: string; items: MenuItem[] } | null; popups: MenuItem[][]; dialogs: MessageBoxOptions[] }
}

/** The menus of the program as plain data. */
const menus = ({ evaluate }: Desktop): Promise<Omit<Drawn, 'dialogs'>> =>
  evaluate(({ Menu }) => {
    const plain = (items: readonly MenuItem[]): DrawnItem[] =>
      items
        .filter(({ visible }) => visible)
        .map(({ label, role, type, enabled, accelerator, submenu }) => ({
          label,
          role: role ?? null,
          type: type ?? 'normal',
          enabled,
          accelerator: accelerator === undefined ? null : String(accelerator),
          submenu: submenu ? plain(submenu.items) : null,
        }))
    const { shown } = globalThis as unknown as Recorded
    return {
      tray: { toolTip: shown.tray?.toolTip ?? '', items: plain(shown.tray?.items ?? []) },
      application: plain(Menu.getApplicationMenu()?.items ?? []),
      context: shown.popups.map(plain),
    }
  })

/** Causes each question of the program, and returns them. */
async function dialogs(studio: Desktop): Promise<MessageBoxOptions[]> {
  const recorded = () => studio.evaluate(() => (globalThis as unknown as Recorded).shown.dialogs)
  const count = async (wanted: number) => {
    for (let tries = 0; (await recorded()).length < wanted; tries += 1) {
      if (tries > 300) throw new Error(`Question ${wanted} was not asked.`)
      await new Promise((next) => setTimeout(next, 100))
    }
  }
  await studio.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()
      .find((one) => !one.isAlwaysOnTop())
      ?.close(),
  )
  await count(1)
  await pickModel(studio.page, 'writer-large')
  await send(studio.page, 'Write at length about budgets.')
  await studio.page.locator('article[data-status="streaming"] [data-part="text"]').waitFor()
  await studio.evaluate(({ app }) => app.quit())
  await count(2)
  for (const crash of [1, 2]) {
    await studio.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()
        .find((one) => !one.isAlwaysOnTop())
        ?.webContents.forcefullyCrashRenderer(),
    )
    if (crash === 1) await new Promise((next) => setTimeout(next, 3000))
  }
  await count(3)
  return recorded()
}

/** Error boxes, which the replacement prints. */
const errorBoxes = (printed: string): MessageBoxOptions[] =>
  [...printed.matchAll(/^error box: (.*)\n(.*)$/gm)].map(([, title = '', message = '']) => ({
    type: 'error',
    title,
    message: title,
    detail: message,
    buttons: ['OK'],
  }))
