import { afterEach, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { connectTo, pickModel, send, settled } from '../../e2e/journey.ts'
import { type Desktop, launchDesktop, real } from '../../helpers/electron/launch.ts'
import { windowText } from '../../helpers/windowText.ts'
import { newDataDir, tidy } from './fixtures.ts'

afterEach(tidy)

const choosePrint = ({ evaluate }: Desktop) =>
  evaluate(({ Menu }) => {
    const file = Menu.getApplicationMenu()?.items.find((item) => item.label === 'File')?.submenu?.items
    file?.find((item) => item.label === 'Print…')?.click()
  })

// A real print dialog waits for a person.
describe.runIf(!real)('“Print…” of the menu', () => {
  test('prints the chat of the window, with its whole text in the page', async () => {
    const sandbox = await startSandbox({ apiKey: 'sk-print', paces: { 'writer-small': 2000 } })
    const desktop = await launchDesktop(newDataDir())
    const { page, evaluate } = desktop
    await connectTo(page, sandbox.baseUrl, 'sk-print')
    await choosePrint(desktop)
    await page.getByText(windowText('chat:printNothing')).first().waitFor()
    await pickModel(page, 'writer-small')
    await send(page, 'A line for the printer.')
    await settled(page, 'complete')
    await evaluate(() => {
      const printed = async (contents: Electron.WebContents): Promise<void> => {
        const text: unknown = await contents.executeJavaScript(
          "document.querySelector('.chat-print')?.textContent ?? null",
        )
        Object.assign(globalThis, { printedText: text })
      }
      Object.assign(globalThis, { printed })
    })
    await choosePrint(desktop)
    const text = () => evaluate(() => (globalThis as unknown as { printedText?: string }).printedText ?? '')
    await expect.poll(text).toContain('A line for the printer.')
    // Afterwards the page is as before.
    await page.locator('.chat-print').waitFor({ state: 'detached' })
    await sandbox.close()
  })

  test('says why it could not print', async () => {
    const sandbox = await startSandbox({ apiKey: 'sk-print', paces: { 'writer-small': 2000 } })
    const desktop = await launchDesktop(newDataDir(), { printFails: 'No printers available on the network' })
    const { page } = desktop
    await connectTo(page, sandbox.baseUrl, 'sk-print')
    await pickModel(page, 'writer-small')
    await send(page, 'A line for no printer.')
    await settled(page, 'complete')
    await choosePrint(desktop)
    const reason = 'No printers available on the network'
    await page.getByText(windowText('chat:printFailed', { reason })).first().waitFor()
    await sandbox.close()
  })
})
