// @long Starts the desktop application twice. tests/e2e/speech.spec.ts plays samples in a browser.
// @module-tag chromium

import { afterEach, expect, test } from 'vitest'
import { windowText } from '../../helpers/windowText.ts'
import { launchConnected, tidy } from './fixtures.ts'

afterEach(tidy)

test('a sample of a voice is paid for once, also for a window that was opened anew', async () => {
  const { sandbox, desktop } = await launchConnected()
  const { page } = desktop
  const requests = () => sandbox.observe.requests().filter(({ path }) => path === '/v1/audio/speech').length
  const play = async (): Promise<void> => {
    await page.evaluate(() => location.assign('#/speech'))
    await page.getByRole('button', { name: /^Preview / }).click()
    await page.getByRole('button', { name: windowText('speech:hearStop') }).waitFor()
  }
  await play()
  expect(requests()).toBe(1)
  await page.reload()
  await play()
  expect(requests()).toBe(1)
})
