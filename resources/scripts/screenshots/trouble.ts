import type { Page } from '@playwright/test'
import { databaseFile } from '../../../src-main/core/store/store.ts'
import { lock } from '../../../tests/core/helpers/lock.ts'
import { closeHosts, openConnectedHost, openSandbox } from '../../../tests/e2e/hosts.ts'
import { askModel, composer, send } from '../../../tests/e2e/journey.ts'
import { windowText } from '../../../tests/helpers/windowText.ts'
import type { Camera } from './camera.ts'
import { connect, disconnect, loaded, open, openPage, type Studio } from './scene.ts'

/** States that concern every page: a refused key, storage that refuses writes, the service or the program out of reach. */
export async function trouble(studio: Studio): Promise<void> {
  await refused(studio)
  await storage(studio)
  await offline(studio)
}

const pages = ['chat', 'speech', 'transcribe', 'images', 'usage', 'keys', 'proxy', 'settings'] as const

async function everywhere(page: Page, camera: Camera, name: string): Promise<void> {
  for (const link of pages) {
    await open(page, link)
    await loaded(page)
    await camera.shoot(page, `${name}-${link}`)
  }
}

/** The service refuses the key (401). */
async function refused({ browser, camera }: Studio): Promise<void> {
  const { baseUrl } = await openSandbox()
  const host = await openConnectedHost({ baseUrl, apiKey: 'sk-not-a-key' })
  const page = await openPage(browser)
  await page.goto(host.url)
  await page.getByRole('contentinfo').getByText(windowText('problems:kinds.unauthorized.title')).waitFor()
  await everywhere(page, camera, 'key-refused')
  await page.close()
  await closeHosts()
}

/** Another program has locked the database. Then the host ends. */
async function storage(studio: Studio): Promise<void> {
  const world = await connect(studio)
  const { page, camera, host } = world
  const release = lock(databaseFile(host.ready.dataDir))
  await composer(page).fill('A draft that cannot be saved')
  const notice = page.getByRole('alert').filter({ hasText: windowText('problems:storage.title') })
  await notice.waitFor()
  await camera.shoot(page, 'storage-locked')
  release()
  await notice.waitFor({ state: 'detached' })
  await host.kill()
  await page.getByText(windowText('shell:status.lost')).first().waitFor()
  await camera.shoot(page, 'disconnected')
  await disconnect(world)
}

/** The service stops. What is stored stays visible. */
async function offline(studio: Studio): Promise<void> {
  const world = await connect(studio)
  const { page, camera, sandbox } = world
  await askModel(page, 'guide', 'Is my data sent anywhere?')
  await open(page, 'usage/limits')
  await loaded(page)
  await open(page, 'images')
  await loaded(page)
  await open(page, 'chat')
  await sandbox.close()
  await composer(page).waitFor()
  await send(page, 'How do I export a chat?')
  await page
    .getByRole('contentinfo')
    .getByRole('button', { name: windowText('offline:checkNow') })
    .waitFor()
  await everywhere(page, camera, 'offline')
  await open(page, 'usage/limits')
  await page.getByText(windowText('offline:note.limits')).waitFor()
  await camera.shoot(page, 'offline-limits')
  await disconnect(world)
}
