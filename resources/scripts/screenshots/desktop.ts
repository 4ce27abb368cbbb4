import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MenuItem, MessageBoxOptions } from 'electron'
import { closeHosts, openSandbox } from '../../../tests/e2e/hosts.ts'
import { askModel, composer, connectTo, pickModel, quick, send } from '../../../tests/e2e/journey.ts'
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
    await askModel(page, 'mirror', 'Which harbour is the oldest?')
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
    await quickPrompt(studio, { browser, camera })
    const items = await menus(studio)
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

/** The small window, at its own size. */
async function quickPrompt(studio: Desktop, { camera }: Studio): Promise<void> {
  await studio.evaluate(() => {
    const { pressShortcut } = globalThis as unknown as { pressShortcut(keys: string): void }
    pressShortcut('Alt+Shift+Space')
  })
  const small = await studio.pageAt(/\/app\/quick\//)
  const prompt = small.getByRole('textbox', { name: windowText('quick:prompt') })
  await prompt.waitFor()
  const size = { at: { width: 640, height: 400 } }
  await camera.shoot(small, 'quick-prompt', size)
  await studio.evaluate(({ clipboard }) => clipboard.writeText('The ferry leaves at eight.'))
  await prompt.fill('Translate this into German:')
  await small.keyboard.press('ControlOrMeta+Shift+V')
  await small
    .getByRole('list', { name: windowText('quick:attached') })
    .getByRole('listitem')
    .waitFor()
  await camera.shoot(small, 'quick-prompt-clipboard', size)
  await prompt.press('Enter')
  await small.locator('.quick-reply[data-status="complete"]').waitFor()
  await camera.shoot(small, 'quick-prompt-reply', size)
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
  await send(studio.page, 'Write at length about harbours.')
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
