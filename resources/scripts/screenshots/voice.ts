import type { Page } from '@playwright/test'
import { newChat } from '../../../tests/e2e/chatWorld.ts'
import { askModel, composer, lastReply, pickModel, settled } from '../../../tests/e2e/journey.ts'
import { windowText } from '../../../tests/helpers/windowText.ts'
import { type Connected, pressFirst, type Studio, showParts } from './scene.ts'

declare global {
  /** Gain of the microphone in the page, 0 to 1. */
  var microphoneGain: GainNode | undefined
}

/** Speaking with a model, and actions on selected text. */
export const voice = (studio: Studio): Promise<void> => showParts(studio, textActions, dictation, conversation)

async function textActions({ page, camera }: Connected): Promise<void> {
  await askModel(page, 'guide', 'Is my data sent anywhere?')
  const words = lastReply(page).getByText('Your messages and files are sent').first()
  const toolbar = page.getByRole('toolbar', { name: windowText('textActions:actions') })
  const select = async () => {
    // A press on selected text would drag it.
    await composer(page).click()
    const box = await words.boundingBox()
    if (!box) throw new Error('The reply is not on the screen.')
    await page.mouse.move(box.x + 1, box.y + 10)
    await page.mouse.down()
    await page.mouse.move(box.x + Math.min(box.width, 300) - 1, box.y + 10, { steps: 4 })
    await page.mouse.up()
    await toolbar.waitFor()
  }
  // Another width closes the toolbar.
  await camera.shoot(page, 'text-actions', { ready: select })
  await select()
  await toolbar.getByRole('button', { name: windowText('textActions:more') }).click()
  await page.getByRole('menuitem', { name: windowText('textActions:names.explain') }).click()
  await page.locator('[data-text-result="done"]').waitFor()
  await camera.shoot(page, 'text-action-result')
  await page.keyboard.press('Escape')
}

async function dictation({ page, camera }: Connected): Promise<void> {
  await newChat(page)
  await page.getByRole('button', { name: windowText('composer:dictate') }).click()
  await page.getByRole('button', { name: windowText('composer:finishDictation'), exact: true }).waitFor()
  await page.waitForTimeout(1500)
  await camera.shoot(page, 'dictation', loud(page, windowText('composer:recordingLevel')))
  await page.getByRole('button', { name: windowText('composer:cancel'), exact: true }).click()
  await askModel(page, 'guide', 'Where is my API key stored?')
  await lastReply(page)
    .getByRole('button', { name: windowText('composer:readAloud') })
    .click()
  const player = page.getByRole('region', { name: windowText('composer:player') })
  await player.getByText(windowText('composer:reading'), { exact: true }).waitFor({ timeout: 60_000 })
  await camera.shoot(page, 'reading-aloud')
  await pressFirst(page, windowText('composer:stopReading'))
}

/** Waits for a moment in which the meter with this name shows a level. */
export const loud = (page: Page, name: string) => ({
  ready: async () => {
    await page.waitForFunction(
      (meter) => (meter?.firstElementChild?.getBoundingClientRect().width ?? 0) > (meter?.clientWidth ?? 0) / 5,
      await page.getByRole('meter', { name }).elementHandle(),
    )
  },
})

/** A microphone that is silent until the gain is raised, so that each phase lasts as long as its pictures. */
async function quietMicrophone(page: Page): Promise<void> {
  await page.evaluate(() => {
    navigator.mediaDevices.getUserMedia = async () => {
      const audio = new AudioContext()
      const out = audio.createMediaStreamDestination()
      globalThis.microphoneGain = new GainNode(audio, { gain: 0.001 })
      const noise = audio.createBuffer(1, audio.sampleRate * 2, audio.sampleRate)
      const samples = noise.getChannelData(0)
      for (let at = 0; at < samples.length; at += 1)
        samples[at] = Math.sin(at / 30) * Math.sin(at / 4000) * (0.6 + 0.4 * Math.sin(at / 7))
      const source = new AudioBufferSourceNode(audio, { buffer: noise, loop: true })
      source.connect(globalThis.microphoneGain).connect(out)
      source.start()
      await audio.resume()
      return out.stream
    }
  })
}

async function conversation({ page, camera }: Connected): Promise<void> {
  await newChat(page)
  await pickModel(page, 'guide')
  await quietMicrophone(page)
  const region = page.getByRole('region', { name: windowText('handsFree:region') })
  const reach = (phase: string) => page.locator(`[data-phase="${phase}"]`).waitFor()
  await page.getByRole('button', { name: windowText('handsFree:start') }).click()
  await reach('listening')
  await camera.shoot(page, 'conversation-listening')
  await page.evaluate(() => {
    if (globalThis.microphoneGain) globalThis.microphoneGain.gain.value = 0.8
  })
  await reach('hearing')
  await camera.shoot(page, 'conversation-hearing', loud(page, windowText('handsFree:level')))
  await page.evaluate(() => {
    if (globalThis.microphoneGain) globalThis.microphoneGain.gain.value = 0.001
  })
  await reach('speaking')
  await camera.shoot(page, 'conversation-speaking')
  await region.getByRole('button', { name: windowText('handsFree:end') }).click()
  await page.evaluate(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotAllowedError'))
  })
  await page.waitForTimeout(200)
  if ((await page.locator('article[data-status="streaming"]').count()) > 0) await settled(page, 'complete')
  await page.getByRole('button', { name: windowText('handsFree:start') }).click()
  await reach('failed')
  await camera.shoot(page, 'microphone-blocked')
}
