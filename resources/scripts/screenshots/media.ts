import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { openInspector } from '../../../tests/e2e/journey.ts'
import { windowText } from '../../../tests/helpers/windowText.ts'
import { root } from '../ready.mjs'
import { type Connected, loaded, open, pressFirst, type Studio, showParts, withInspector } from './scene.ts'
import { loud } from './voice.ts'

/** Speech, Transcribe and Images, from their empty state on. */
export const media = (studio: Studio): Promise<void> => showParts(studio, speech, transcription, images)

async function speech({ page, camera }: Connected): Promise<void> {
  await open(page, 'speech')
  await loaded(page)
  const text = page.getByRole('main').getByRole('textbox').first()
  await text.waitFor()
  await camera.shoot(page, 'speech-empty')
  await text.fill('The API key of your service is stored in the keychain of your operating system.')
  await page.getByText(windowText('speech:planUnknown')).waitFor()
  await camera.shoot(page, 'speech-text')
  await pressFirst(page.getByRole('main'), windowText('speech:speak'))
  await page.locator('[data-speech][data-state="done"]').waitFor({ timeout: 60_000 })
  await camera.shoot(page, 'speech', wave(page))
  await openInspector(page)
  await camera.shoot(page, 'speech-details', withInspector(page))
}

async function transcription({ page, camera }: Connected): Promise<void> {
  await open(page, 'transcribe')
  const add = page.getByRole('button', { name: windowText('transcribe:addFiles') }).first()
  await add.waitFor()
  await camera.shoot(page, 'transcribe-empty')
  await page
    .getByRole('button', { name: windowText('transcribe:record'), exact: true })
    .first()
    .click()
  const discard = page.getByRole('button', { name: windowText('transcribe:discard'), exact: true })
  await discard.waitFor()
  // The fake microphone beeps once a second: a level and a wave to see.
  await page.waitForTimeout(3000)
  await camera.shoot(page, 'recording', loud(page, windowText('transcribe:level')))
  await discard.click()
  const question = page.locator('dialog[open]')
  await question.waitFor()
  await camera.shoot(page, 'recording-discard')
  await question.getByRole('button', { name: windowText('transcribe:discard') }).click()
  await question.waitFor({ state: 'detached' })
  const recording = join(root, 'src-renderer/features/transcription/example.ogg')
  if (!existsSync(recording)) throw new Error(`${recording} is missing.`)
  const chosen = page.waitForEvent('filechooser')
  await add.click()
  await (await chosen).setFiles(recording)
  await page.getByRole('button', { name: windowText('transcribe:toChat') }).waitFor({ timeout: 60_000 })
  await camera.shoot(page, 'transcript', wave(page))
  await openInspector(page)
  await page.getByRole('region', { name: windowText('transcribe:thisTranscript') }).scrollIntoViewIfNeeded()
  await camera.shoot(page, 'transcript-settings', withInspector(page))
}

async function images({ page, camera }: Connected): Promise<void> {
  await open(page, 'images')
  const prompt = page.getByRole('textbox', { name: windowText('images:composer.prompt'), exact: true })
  await prompt.waitFor()
  await camera.shoot(page, 'images-empty')
  const gallery = page.getByRole('listbox', { name: windowText('images:gallery.label') }).getByRole('option')
  const prompts = ['A lighthouse at dusk', 'An old map of an island', 'A harbour in the rain']
  for (const [index, words] of prompts.entries()) {
    await prompt.fill(words)
    await prompt.press('Enter')
    await gallery.nth(index).locator('img').waitFor({ timeout: 60_000 })
  }
  await drawn(page)
  await camera.shoot(page, 'gallery')
  await gallery.first().dblclick()
  await page.getByRole('dialog').waitFor()
  await drawn(page)
  await camera.shoot(page, 'lightbox')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await gallery.first().press('Space')
  await openInspector(page)
  await camera.shoot(page, 'image-details', {
    ready: async () => {
      await openInspector(page)
      await page.getByRole('heading', { name: windowText('images:details.request'), exact: true }).waitFor()
    },
  })
}

/** Waits for the thumbnails and for all images. */
async function drawn(page: Page): Promise<void> {
  await page.locator('.images-card-wait').first().waitFor({ state: 'detached' })
  await page.waitForFunction(() => [...document.images].every((image) => image.complete && image.naturalWidth > 0))
}

/** Waits until the whole waveform is drawn. */
const wave = (page: Page) => ({
  ready: () => page.getByRole('main').locator('[role="slider"][data-state="whole"]').waitFor(),
})
