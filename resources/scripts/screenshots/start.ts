import { closeHosts, newDataDir, openSandbox, openWebHost } from '../../../tests/e2e/hosts.ts'
import { windowText } from '../../../tests/helpers/windowText.ts'
import { loaded, open, openPage, pressFirst, type Studio } from './scene.ts'

/** The first start, connecting, and the pages that are empty without an account. */
export async function start({ browser, camera }: Studio): Promise<void> {
  const sandbox = await openSandbox()
  const host = await openWebHost(newDataDir())
  const page = await openPage(browser)
  await page.goto(host.url)
  await loaded(page)
  await camera.shoot(page, 'welcome')
  await pressFirst(page.getByRole('main'), windowText('connect:connect'))
  const address = page.getByRole('textbox', { name: windowText('connect:baseUrl') })
  await address.waitFor()
  await camera.shoot(page, 'connect')
  await address.fill('127.0.0.1:9')
  await page.getByRole('button', { name: windowText('connect:test'), exact: true }).click()
  await page.getByText('No server listens').waitFor()
  await camera.shoot(page, 'connect-no-server')
  await address.fill(sandbox.baseUrl)
  await page.getByLabel(windowText('connect:key'), { exact: true }).fill('sk-not-a-key')
  await page.getByRole('button', { name: windowText('connect:test'), exact: true }).click()
  await page.getByText(windowText('connect:cause.keyRejected')).waitFor()
  await camera.shoot(page, 'connect-refused')
  await page.getByLabel(windowText('connect:key'), { exact: true }).fill(sandbox.apiKey)
  await page.getByRole('button', { name: windowText('connect:test'), exact: true }).click()
  await page.getByText(windowText('connect:works')).waitFor()
  await camera.shoot(page, 'connect-works')
  await page.keyboard.press('Escape')
  for (const link of ['speech', 'transcribe', 'images', 'usage', 'keys', 'proxy', 'settings'] as const) {
    await open(page, link)
    await loaded(page)
    await camera.shoot(page, `not-connected-${link}`)
  }
  await page.getByRole('button', { name: windowText('alerts:bellNone') }).click()
  await page.getByText(windowText('alerts:emptyAbout')).waitFor()
  await camera.shoot(page, 'alerts-empty')
  await page.close()
  await closeHosts()
}
