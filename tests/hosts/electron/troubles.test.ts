// @module-tag chromium
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { lockFolder } from '../../../src-main/core/store/lock.ts'
import { appId, identify } from '../../../src-main/hosts/electron/identity.ts'
import { reasonOf } from '../../../src-main/hosts/electron/notify.ts'
import { microphoneOf } from '../../../src-main/hosts/electron/permissions.ts'
import { applySpelling, languagesOf } from '../../../src-main/hosts/electron/spelling.ts'
import { growths, pickModel, send, settled } from '../../e2e/journey.ts'
import { onlyLong } from '../../helpers/effort.ts'
import { type Desktop, launchDesktop, real, runDesktopToItsEnd } from '../../helpers/electron/launch.ts'
import { windowText } from '../../helpers/windowText.ts'
import { launchConnected, newDataDir, tidy } from './fixtures.ts'

afterEach(tidy)

/** What the first window shows. Playwright has no page whose process has ended. */
const textOf = ({ evaluate }: Desktop): Promise<string> =>
  evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript('document.body.innerText'),
  )

function endedCleanly(dataDir: string): boolean {
  const lock = lockFolder(dataDir)
  lock.release()
  return lock.endedCleanlyBefore
}

test.skipIf(real)(
  'an AppImage does not run without the sandbox of its pages, and says what to do',
  { tags: 'long' },
  async () => {
    const dataDir = newDataDir()
    const modes = { env: { APPIMAGE: '/home/a/Inference-Studio.AppImage' } }
    const { code, errors } = await runDesktopToItsEnd(dataDir, modes, ['--no-sandbox'])
    expect([code, errors]).toEqual([1, expect.stringMatching(/error box: .*\n.*does not allow the sandbox.*\.deb/s)])
    expect(readdirSync(dataDir)).toEqual([])
  },
)

describe('spell checking', () => {
  const session = () => ({
    availableSpellCheckerLanguages: ['de', 'en-GB', 'en-US', 'fr'],
    setSpellCheckerEnabled: vi.fn(),
    setSpellCheckerLanguages: vi.fn(),
  })

  test.each(['linux', 'win32'] as const)('has no language to download on %s until the person agrees', (platform) => {
    const target = session()
    applySpelling(target, false, ['de-AT'], platform)
    expect([target.setSpellCheckerLanguages.mock.calls, target.setSpellCheckerEnabled.mock.calls]).toEqual([
      [[[]]],
      [[false]],
    ])
    applySpelling(target, true, ['de-AT', 'en-US'], platform)
    expect(target.setSpellCheckerLanguages).toHaveBeenLastCalledWith(['de', 'en-US'])
    expect(target.setSpellCheckerEnabled).toHaveBeenLastCalledWith(true)
  })

  test('is the system’s own on macOS, which downloads nothing', () => {
    const target = session()
    applySpelling(target, false, ['de-AT'], 'darwin')
    expect([target.setSpellCheckerLanguages.mock.calls, target.setSpellCheckerEnabled.mock.calls]).toEqual([
      [],
      [[true]],
    ])
  })

  test('takes the dictionary of the region, else of the language, else English', () => {
    const available = ['de', 'de-CH', 'en-GB', 'en-US', 'pt-BR']
    expect(languagesOf(['DE-ch', 'de-AT', 'de-DE'], available)).toEqual(['de-CH', 'de'])
    expect(languagesOf(['pt-PT'], available)).toEqual(['pt-BR'])
    expect(languagesOf(['eu'], available)).toEqual(['en-US'])
    expect(languagesOf(['eu'], [])).toEqual([])
  })

  test('is off from the start, and follows its setting', { tags: 'long' }, async () => {
    const { page, evaluate } = await launchDesktop(newDataDir())
    const state = () =>
      evaluate(({ session: { defaultSession } }) => [
        defaultSession.isSpellCheckerEnabled(),
        defaultSession.getSpellCheckerLanguages(),
      ])
    if (process.platform === 'darwin') return expect((await state())[0]).toBe(true)
    expect(await state()).toEqual([false, []])
    await page.evaluate(() => location.assign('#/settings/chat'))
    await page.getByRole('switch', { name: windowText('settings:chat.spellcheck') }).click()
    await expect.poll(async () => (await state())[0]).toBe(true)
    await page.getByRole('switch', { name: windowText('settings:chat.spellcheck') }).click()
    await expect.poll(state).toEqual([false, []])
  })
})

test('Settings offer no metrics, because only the web version has an address for them', { tags: 'long' }, async () => {
  const { page } = await launchDesktop(newDataDir())
  await page.evaluate(() => location.assign('#/settings/proxy'))
  await page.getByRole('switch', { name: windowText('settings:proxy.ipv6') }).waitFor()
  expect(await page.getByRole('switch', { name: windowText('settings:proxy.metrics') }).count()).toBe(0)
})

test('Windows gets the application’s id, other systems do not', () => {
  const set = vi.fn()
  identify({ setAppUserModelId: set }, 'linux')
  identify({ setAppUserModelId: set }, 'darwin')
  expect(set).not.toHaveBeenCalled()
  identify({ setAppUserModelId: set }, 'win32')
  expect(set).toHaveBeenCalledExactlyOnceWith(appId)
})

test('the microphone needs the consent that macOS asks for, and no other on other systems', async () => {
  const asks = (granted: boolean) => ({ askForMediaAccess: vi.fn(async () => granted) })
  expect(await microphoneOf(asks(false), 'darwin')).toBe(false)
  expect(await microphoneOf(asks(true), 'darwin')).toBe(true)
  for (const platform of ['linux', 'win32'] as const) {
    const preferences = asks(false)
    expect(await microphoneOf(preferences, platform)).toBe(true)
    expect(preferences.askForMediaAccess).not.toHaveBeenCalled()
  }
})

test('a failed notification is explained by the system’s words and what usually helps', () => {
  expect(reasonOf('HRESULT 0x803E0105', 'win32')).toMatch(/^The system says: HRESULT 0x803E0105 Allow .*Windows/)
  expect(reasonOf('', 'linux')).toMatch(/did not confirm it\. Check that a notification service/)
  expect(reasonOf('not allowed', 'darwin')).toMatch(/not allowed .*System Settings/)
})

describe('the theme', () => {
  test('of the last run is applied before the first window, and a change at once', { tags: 'long' }, async () => {
    const dataDir = newDataDir()
    const first = await launchDesktop(dataDir)
    const look = (desktop: typeof first) =>
      desktop.evaluate(({ BrowserWindow, nativeTheme }) => [
        nativeTheme.themeSource,
        BrowserWindow.getAllWindows()[0]?.getBackgroundColor(),
      ])
    await first.page.evaluate(() => location.assign('#/settings/appearance'))
    await first.page.getByRole('radio', { name: windowText('settings:appearance.dark') }).click()
    await expect.poll(() => look(first)).toEqual(['dark', '#161618'])
    await first.quit()
    expect(readFileSync(join(dataDir, 'desktop', 'theme'), 'utf8')).toBe('dark')
    expect(await look(await launchDesktop(dataDir))).toEqual(['dark', '#161618'])
  })
})

// A real notification, message box, session end or sleep can't be caused by a test.
describe.runIf(!real)('with the replacement of Electron only', () => {
  test('a start-up error is shown in a dialog, which Linux has only once the program is ready', {
    tags: 'long',
  }, async () => {
    const dataDir = newDataDir()
    writeFileSync(join(dataDir, 'theirs.txt'), 'theirs')
    const { code, errors } = await runDesktopToItsEnd(dataDir)
    expect(code).toBe(1)
    expect(errors).toMatch(/^error box: Inference Studio could not start\n/m)
  })

  test('a notification that fails is explained in Settings', { tags: 'long' }, async () => {
    const { page } = await launchDesktop(newDataDir(), { notificationsFail: 'Access is denied. (0x80070005)' })
    await page.evaluate(() => location.assign('#/settings/alerts'))
    await page.getByRole('button', { name: windowText('alerts:settings.try') }).click()
    await page.getByRole('alert').getByText('Access is denied. (0x80070005)').waitFor()
  })

  test('a crash of the page reloads it: the reply goes on, and nobody is asked', { tags: 'long' }, async () => {
    const { desktop } = await launchConnected()
    const { page, evaluate, errors } = desktop
    await pickModel(page, 'writer-large')
    await send(page, 'Write at length about the sea.')
    await growths(page, 4)
    await evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer())
    await expect.poll(errors).toMatch(/The page of the window ended: crashed/)
    await expect.poll(() => textOf(desktop), { timeout: 20_000 }).toMatch(/sea/)
    expect(errors()).not.toContain('question:')
  })

  test.each(['query-session-end', ...onlyLong('session-end')] as const)(
    'the end of the session (%s) stops the core cleanly',
    { tags: 'long' },
    async (event) => {
      const dataDir = newDataDir()
      const { evaluate, ended } = await launchDesktop(dataDir)
      const prevented = await evaluate(({ BrowserWindow }, name) => {
        const prevented: string[] = []
        const emitted = { reasons: ['shutdown'], preventDefault: () => void prevented.push(name) }
        ;(BrowserWindow.getAllWindows()[0] as unknown as NodeJS.EventEmitter | undefined)?.emit(name, emitted)
        return prevented.length === 1
      }, event)
      expect(prevented).toBe(event === 'query-session-end')
      expect(await ended).toBe(0)
      expect(endedCleanly(dataDir)).toBe(true)
    },
  )

  test('a shutdown of the system waits until the core has stopped', { tags: 'long' }, async () => {
    const dataDir = newDataDir()
    const { evaluate, ended } = await launchDesktop(dataDir)
    const prevented = await evaluate(({ powerMonitor }) => {
      let isPrevented = false
      ;(powerMonitor as unknown as NodeJS.EventEmitter).emit('shutdown', {
        preventDefault: () => {
          isPrevented = true
        },
      })
      return isPrevented
    })
    expect(prevented).toBe(true)
    expect(await ended).toBe(0)
    expect(endedCleanly(dataDir)).toBe(true)
  })

  test('sleep is blocked while a reply streams, and the connection is checked after sleep', {
    tags: 'long',
  }, async () => {
    const { sandbox, desktop } = await launchConnected()
    const { page, evaluate, errors } = desktop
    await pickModel(page, 'writer-small')
    await send(page, 'Hello')
    await settled(page, 'complete')
    await expect.poll(errors).toMatch(/sleep blocked\n[\s\S]*sleep allowed\n$/)
    const lists = () => sandbox.observe.requests().filter(({ path }) => path === '/v1/models').length
    const before = lists()
    await evaluate(({ powerMonitor }) => void (powerMonitor as unknown as NodeJS.EventEmitter).emit('resume'))
    await expect.poll(lists).toBeGreaterThan(before)
  })
})
