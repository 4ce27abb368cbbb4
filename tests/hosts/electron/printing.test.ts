// @long Starts the desktop application for each test. tests/e2e/print.spec.ts prints the same page.
// @module-tag chromium

import { afterEach, describe, expect, test } from 'vitest'
import { pickModel, send, settled } from '../../e2e/journey.ts'
import { type Desktop, real } from '../../helpers/electron/launch.ts'
import { windowText } from '../../helpers/windowText.ts'
import { launchConnected, tidy } from './fixtures.ts'

afterEach(tidy)

const quickWriter = { paces: { 'writer-small': 2000 } }

const choosePrint = ({ evaluate }: Desktop) =>
  evaluate(({ Menu }) => {
    const file = Menu.getApplicationMenu()?.items.find((item) => item.label === 'File')?.submenu?.items
    file?.find((item) => item.label === 'Print…')?.click()
  })

// A real print dialog waits for a person.
describe.runIf(!real)('“Print…” of the menu', () => {
  test('prints the chat of the window, with its whole text in the page, on a computer without a printer', async () => {
    const { desktop } = await launchConnected(quickWriter)
    const { page, evaluate } = desktop
    await choosePrint(desktop)
    await page.getByText(windowText('chat:printNothing')).first().waitFor()
    await pickModel(page, 'writer-small')
    await send(page, 'A line for the printer.')
    await settled(page, 'complete')
    await evaluate(() => {
      const printed = async (contents: Electron.WebContents): Promise<void> => {
        const text: unknown = await contents.executeJavaScript(
          "document.querySelector('.exported-print')?.textContent ?? null",
        )
        Object.assign(globalThis, { printedText: text })
      }
      Object.assign(globalThis, { printed })
    })
    await choosePrint(desktop)
    const text = () => evaluate(() => (globalThis as unknown as { printedText?: string }).printedText ?? '')
    await expect.poll(text).toContain('A line for the printer.')
    // Afterwards the page is as before.
    await page.locator('.exported-print').waitFor({ state: 'detached' })
  })

  test('says why it could not print', async () => {
    const { desktop } = await launchConnected(quickWriter, { printFails: 'Print job failed' })
    const { page } = desktop
    await pickModel(page, 'writer-small')
    await send(page, 'A line for no printer.')
    await settled(page, 'complete')
    await choosePrint(desktop)
    const reason = 'Print job failed'
    await page.getByText(windowText('chat:printFailed', { reason })).first().waitFor()
  })

  test('the Export dialog saves a PDF of the whole chat without a print dialog', async () => {
    const { desktop } = await launchConnected(quickWriter)
    const { page } = desktop
    await pickModel(page, 'writer-small')
    await send(page, 'A line for the file.')
    await settled(page, 'complete')
    // Takes the file where the page hands it to the browser's download.
    await page.evaluate(() => {
      const create = URL.createObjectURL
      URL.createObjectURL = (blob: Blob) => {
        if (blob.type === 'application/pdf') {
          void blob.arrayBuffer().then((bytes) => {
            const text = new TextDecoder('latin1').decode(bytes)
            document.documentElement.dataset.pdf = JSON.stringify({
              start: text.slice(0, 5),
              pages: text.match(/\/Type\s*\/Page\b/g)?.length ?? 0,
              title: /\/Title\s*\(([^)]*)\)/.exec(text)?.[1] ?? null,
            })
          })
        }
        return create(blob)
      }
    })
    await page.keyboard.press('ControlOrMeta+K')
    await page.keyboard.type('Export chat as PDF')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: /^Export “/ })
    await dialog.getByRole('button', { name: windowText('exporting:export'), exact: true }).click()
    const found = async (): Promise<unknown> =>
      JSON.parse((await page.locator('html').getAttribute('data-pdf')) ?? 'null')
    await expect.poll(found).toMatchObject({ start: '%PDF-', pages: 1 })
    await dialog.waitFor({ state: 'hidden' })
    await page.locator('.exported-print').waitFor({ state: 'detached' })
  })
})
