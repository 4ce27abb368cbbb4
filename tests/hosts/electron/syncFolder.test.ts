// @long Starts the desktop application. tests/e2e/sync.spec.ts shows the same settings.
// @module-tag chromium

import { mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { connectTo, goToPage } from '../../e2e/journey.ts'
import { launchDesktop, real } from '../../helpers/electron/launch.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { windowText } from '../../helpers/windowText.ts'
import { newDataDir, tidy } from './fixtures.ts'

afterEach(tidy)

// A real dialog waits for a person.
describe.runIf(!real)('the folder of the sync', () => {
  test('is chosen in a dialog above the window, and cancelling changes nothing', async () => {
    const folder = mkdtempSync(join(temporaryFolder('studio-shared-'), 'folder-'))
    const sandbox = await startSandbox({ apiKey: 'sk-sync' })
    const { page, evaluate } = await launchDesktop(newDataDir(), { chosenFolders: [null, folder] })
    await connectTo(page, sandbox.baseUrl, 'sk-sync')
    await goToPage(page, windowText('data:dataName.settings'))
    await page.getByRole('link', { name: windowText('settings:data.title'), exact: true }).click()
    const group = page.getByRole('region', { name: windowText('data:sync.title') })
    const field = group.getByLabel(windowText('data:sync.folder'))
    const choose = group.getByRole('button', { name: windowText('data:sync.choose') })
    await field.fill('/typed')
    await choose.click()
    await expect.poll(() => evaluate(() => Reflect.get(globalThis, 'folderDialogs')?.length)).toBe(1)
    expect(await field.inputValue()).toBe('/typed')
    await choose.click()
    await expect.poll(() => field.inputValue()).toBe(folder)
    const asked = await evaluate(() => Reflect.get(globalThis, 'folderDialogs')[1])
    expect(asked).toMatchObject({ isAboveWindow: true, options: { defaultPath: '/typed' } })
    await group.getByRole('button', { name: windowText('data:sync.run') }).click()
    await group.getByText(windowText('data:sync.alone')).waitFor()
    expect(readdirSync(folder)).toHaveLength(1)
    await sandbox.close()
  })
})
