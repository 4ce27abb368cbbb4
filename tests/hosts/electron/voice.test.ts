import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { connectTo } from '../../e2e/journey.ts'
import { launchDesktop } from '../../helpers/electron/launch.ts'
import { windowText } from '../../helpers/windowText.ts'
import { newDataDir, tidy } from './fixtures.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ apiKey: 'sk-desktop-voice' })
})
afterAll(async () => {
  await tidy()
  await sandbox.close()
})

test('a sample of a voice is paid for once, also for a window that was opened anew', async () => {
  const { page } = await launchDesktop(newDataDir())
  await connectTo(page, sandbox.baseUrl, 'sk-desktop-voice')
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
