import { askModel } from '../../../tests/e2e/journey.ts'
import { windowText } from '../../../tests/helpers/windowText.ts'
import { sendAppRequests } from './localApi.ts'
import { connect, disconnect, loaded, open, type Studio } from './scene.ts'

/** Usage, limits, keys and alerts. */
export async function account(studio: Studio): Promise<void> {
  const world = await connect(studio)
  const { page, camera, host } = world
  await askModel(page, 'writer-small', 'What does a lighthouse cost?')
  await sendAppRequests(host)
  await open(page, 'usage')
  await page.getByRole('region', { name: windowText('usage:cards.label') }).waitFor()
  await page.getByText(windowText('chart:loading')).waitFor({ state: 'detached' })
  await loaded(page)
  await camera.shoot(page, 'usage')
  await page.getByRole('radio', { name: windowText('usage:controls.stacks.app'), exact: true }).click({ force: true })
  await page.waitForTimeout(500)
  await camera.shoot(page, 'usage-by-app')
  for (const section of ['elsewhere', 'limits', 'corrections'] as const) {
    await open(page, `usage/${section}`)
    await loaded(page)
    await page.waitForTimeout(300)
    await camera.shoot(page, `usage-${section}`)
  }
  await open(page, 'keys')
  await page
    .getByRole('main')
    .getByRole('heading', { name: windowText('keys:facts') })
    .waitFor()
  await loaded(page)
  await camera.shoot(page, 'keys')
  await open(page, 'settings/alerts')
  const balance = page.getByRole('textbox', { name: windowText('alerts:settings.balance') })
  await balance.fill('1000')
  await balance.press('Enter')
  await open(page, 'chat')
  await askModel(page, 'fault/402', 'One more?', 'failed')
  await page.getByRole('button', { name: windowText('alerts:bell', { count: 2 }) }).click()
  await page.getByRole('list', { name: windowText('alerts:title') }).waitFor()
  await camera.shoot(page, 'alerts')
  await disconnect(world)
}
