import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { closeDesktops, launchDesktop } from '../../helpers/electron/launch.ts'

afterEach(closeDesktops)
test('up', async () => {
  const t = Date.now()
  const desktop = await launchDesktop(mkdtempSync(join(tmpdir(), 'desk-')))
  console.log('up', Date.now() - t)
  desktop.page.on('console', (m) => console.log('console', m.text()))
  await desktop.page.getByRole('button', { name: /Try the sandbox/ }).waitFor({timeout: 5000}).catch(async (e) => console.log(String(e), await desktop.page.content()))
  console.log('button', Date.now() - t)
  await desktop.page.getByRole('button', { name: /Try the sandbox/ }).click()
  await desktop.page.locator('article[data-role="assistant"]').last().waitFor({timeout: 8000}).catch((e)=>console.log(String(e)))
  console.log(await desktop.page.evaluate(() => ({ body: document.body.innerText, h: (window as any).inferenceStudio, secure: isSecureContext })))
  console.log(desktop.errors())
  expect(await desktop.quit()).toBe(0)
})
