// @module-tag chromium
import { readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { goToPage } from '../../e2e/journey.ts'
import type { Desktop } from '../../helpers/electron/launch.ts'
import { windowText } from '../../helpers/windowText.ts'
import { launchConnected, tidy } from './fixtures.ts'

let desktop: Desktop
let dataDir: string

beforeAll(async () => {
  ;({ dataDir, desktop } = await launchConnected())
  const { page } = desktop
  await goToPage(page, windowText('shell:pages.images'))
  const prompt = page.getByRole('textbox', { name: 'Prompt', exact: true })
  await prompt.fill('A harbour, early')
  await prompt.press('Enter')
  await picture().waitFor()
  await picture().click({ modifiers: ['ControlOrMeta'] })
  // Details and actions of the selected image.
  await page.getByRole('button', { name: windowText('common:inspector'), exact: true }).click()
  await desktop.evaluate(({ BrowserWindow, shell }) => {
    const left: Left = { shown: [], dragged: [] }
    Object.assign(globalThis, { left })
    shell.showItemInFolder = (path) => void left.shown.push(path)
    for (const { webContents } of BrowserWindow.getAllWindows()) {
      webContents.startDrag = ({ file, icon }) => {
        left.dragged.push({ file, hasIcon: typeof icon !== 'string' && !icon.isEmpty() })
      }
    }
  })
})
afterAll(tidy)

const picture = () =>
  desktop.page
    .getByRole('listbox', { name: windowText('images:gallery.label') })
    .getByRole('option')
    .first()

/** Files passed to the operating system since the last call. */
interface Left {
  shown: string[]
  dragged: { file: string; hasIcon: boolean }[]
}
const shown = (): Promise<string[]> =>
  desktop.evaluate(() => (globalThis as unknown as { left: Left }).left.shown.splice(0))
const dragged = (): Promise<Left['dragged']> =>
  desktop.evaluate(() => (globalThis as unknown as { left: Left }).left.dragged.splice(0))

test('an image is shown in the file manager', async () => {
  await desktop.page.getByRole('button', { name: 'Show in folder' }).click()
  const paths: string[] = []
  await expect.poll(async () => paths.push(...(await shown()))).toBe(1)
  expect(dirname(paths[0] ?? '')).toBe(join(dataDir, 'media'))
  expect(
    readFileSync(paths[0] ?? '')
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG')
})

test('an image is dragged out of the focused window as a named copy', async () => {
  await picture().dispatchEvent('dragstart', { bubbles: true })
  const items: Left['dragged'] = []
  await expect.poll(async () => items.push(...(await dragged()))).toBe(1)
  const [{ file: path, hasIcon } = { file: '', hasIcon: false }] = items
  expect(hasIcon).toBe(true)
  expect(basename(path)).toMatch(/harbour.*\.png$/i)
  expect(path.startsWith(join(dataDir, 'tmp'))).toBe(true)
  expect(readFileSync(path).subarray(1, 4).toString()).toBe('PNG')
})

test('a missing file is not shown, and its path is reported', async () => {
  rmSync(join(dataDir, 'media'), { recursive: true })
  await desktop.page.getByRole('button', { name: 'Show in folder' }).click()
  await desktop.page
    .getByText(/File: /)
    .first()
    .waitFor()
  expect(await shown()).toEqual([])
})
