// @module-tag chromium
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { root } from '../../../resources/scripts/ready.mjs'
import { lockFolder } from '../../../src-main/core/store/lock.ts'
import { closeActionOf } from '../../../src-main/hosts/electron/background.ts'
import { setOpenAtLogin, startsInBackground } from '../../../src-main/hosts/electron/loginItem.ts'
import { programFile } from '../../../src-main/hosts/electron/program.ts'
import { drawWhenDifferent } from '../../../src-main/hosts/electron/redraw.ts'
import { type TrayFacts, trayMenu, trayTip } from '../../../src-main/hosts/electron/trayMenu.ts'
import { canInstall } from '../../../src-main/hosts/electron/updates/open.ts'
import { growths, pickModel, send } from '../../e2e/journey.ts'
import { type Desktop, launchDesktop, real, runDesktopToItsEnd, startStandIn } from '../../helpers/electron/launch.ts'
import { launchConnected, newDataDir, tidy } from './fixtures.ts'

afterEach(tidy)

const facts: TrayFacts = {
  proxy: { state: 'on', baseUrl: 'http://127.0.0.1:8787/v1' },
  requests: 0,
  recordings: 0,
  spentToday: null,
  apps: 2,
  pausedApps: 0,
  questions: [],
}
const actions = () => ({ open: vi.fn(), quickPrompt: vi.fn(), pauseApps: vi.fn(), answer: vi.fn(), quit: vi.fn() })
const labels = (of: TrayFacts) =>
  trayMenu(of, actions()).map(({ label, type, enabled }) => `${label ?? type}${enabled === false ? ' (fact)' : ''}`)

describe('the menu of the tray', () => {
  test('shows the local API, running work, today’s cost as rounded in the window, and the actions', () => {
    const spentToday = { amount: '0.2468013', estimated: true, asOf: null }
    expect(labels({ ...facts, requests: 3, recordings: 1, spentToday })).toEqual([
      'Local API: http://127.0.0.1:8787/v1 (fact)',
      '3 requests running, 1 recording running (fact)',
      'Today: 0.25 SC est. (fact)',
      'separator',
      'Pause all apps',
      'separator',
      'Open Inference Studio',
      'Quick prompt',
      'separator',
      'Quit',
    ])
  })

  test.each([
    [{ state: 'off', baseUrl: null }, 'Local API: off (fact)'],
    [{ state: 'waiting', baseUrl: null }, 'Local API: waiting for a connection (fact)'],
    [{ state: 'failed', baseUrl: null }, 'Local API: could not start (fact)'],
  ] as const)('says that the local API is %j', (proxy, line) => {
    expect(labels({ ...facts, proxy })[0]).toBe(line)
  })

  test('pauses all apps, or resumes them when all are paused', () => {
    const click = (of: TrayFacts) => {
      const done = actions()
      const item = trayMenu(of, done).find(({ label }) => label?.endsWith('all apps'))
      item?.click?.({} as never, undefined, {} as never)
      return [item?.label, item?.enabled, done.pauseApps.mock.calls]
    }
    expect(click({ ...facts, pausedApps: 1 })).toEqual(['Pause all apps', true, [[true]]])
    expect(click({ ...facts, pausedApps: 2 })).toEqual(['Resume all apps', true, [[false]]])
    expect(click({ ...facts, apps: 0 })[1]).toBe(false)
  })

  test('asks the question of an app, with what it costs and four answers', () => {
    const question = {
      id: 'q1',
      app: { id: 'a1', name: 'R&D agent' },
      askedAt: '2026-11-20T22:00:00.000Z',
      endsAt: '2026-11-20T22:01:00.000Z',
      spentToday: '1.25',
      requests: [{ number: 1, model: 'writer-large', cost: '0.5', reasons: ['day' as const] }],
      cost: '0.5',
      suggested: '2',
    }
    const done = actions()
    const entry = trayMenu({ ...facts, questions: [question] }, done).find(({ submenu }) => submenu)
    expect(entry?.label).toBe('R&&D agent asks: 1 request, at most 0.50 SC')
    expect(trayTip({ ...facts, questions: [question] }).split('\n')).toEqual([
      'Inference Studio',
      'R&D agent asks: 1 request, at most 0.50 SC',
      'Local API: http://127.0.0.1:8787/v1',
      'No requests running',
    ])
    const answers = Array.isArray(entry?.submenu) ? entry.submenu : []
    expect(answers.map(({ label }) => label)).toEqual([
      'writer-large',
      'Spent today: 1.25 SC',
      'Allow once',
      'Add 2.00 SC to the budget',
      'Allow until tomorrow (UTC)',
      'Refuse',
    ])
    for (const { click } of answers) click?.({} as never, undefined, {} as never)
    expect(done.answer.mock.calls).toEqual(['once', 'more', 'tomorrow', 'refuse'].map((kind) => [question, kind]))
  })
})

describe('start at login', () => {
  test('is a desktop entry on Linux that opens no window', () => {
    const config = newDataDir()
    mkdirSync(config, { recursive: true })
    const app = { isPackaged: true, setLoginItemSettings: vi.fn() }
    const file = join(config, 'autostart', 'inference-studio.desktop')
    const options = {
      app,
      platform: 'linux' as const,
      env: { XDG_CONFIG_HOME: config },
      program: '/opt/In "fer" $ 100%',
    }
    setOpenAtLogin(true, options)
    expect(readFileSync(file, 'utf8')).toContain('Exec="/opt/In \\\\"fer\\\\" \\\\$ 100%%" --background\n')
    setOpenAtLogin(false, options)
    setOpenAtLogin(false, options)
    expect(() => readFileSync(file)).toThrow()
    expect(app.setLoginItemSettings).not.toHaveBeenCalled()
    rmSync(config, { recursive: true })
  })

  test.each(['darwin', 'win32'] as const)('is a login item on %s', (platform) => {
    const app = { isPackaged: true, setLoginItemSettings: vi.fn() }
    setOpenAtLogin(true, { app, platform, program: 'C:\\Studio.exe' })
    expect(app.setLoginItemSettings).toHaveBeenCalledWith({
      openAtLogin: true,
      path: 'C:\\Studio.exe',
      args: ['--background'],
    })
    setOpenAtLogin(true, { app: { ...app, isPackaged: false }, platform })
    expect(app.setLoginItemSettings).toHaveBeenCalledOnce()
  })

  test('is known at the start by its argument, and on macOS by the system', () => {
    const app = { getLoginItemSettings: vi.fn(() => ({ wasOpenedAtLogin: true }) as never) }
    expect(startsInBackground(app, ['x', '--background'], 'linux')).toBe(true)
    expect(startsInBackground(app, ['x'], 'linux')).toBe(false)
    expect(app.getLoginItemSettings).not.toHaveBeenCalled()
    expect(startsInBackground(app, ['x'], 'darwin')).toBe(true)
  })
})

const { name: packageName } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

describe('the file that starts the program again', () => {
  test.each([
    ['installed', {}, '/opt/studio/studio', '/opt/studio/studio'],
    [
      'an AppImage, which runs from a mount',
      { APPIMAGE: '/home/me/Studio.AppImage', APPDIR: '/tmp/.mount_x' },
      '/tmp/.mount_x/studio',
      '/home/me/Studio.AppImage',
    ],
    [
      'installed, in a terminal of another AppImage',
      { APPIMAGE: '/home/me/Editor.AppImage', APPDIR: '/tmp/.mount_y' },
      '/opt/studio/studio',
      '/opt/studio/studio',
    ],
    [
      'the portable program of Windows, which runs from a temporary folder',
      { PORTABLE_EXECUTABLE_FILE: 'D:\\Studio portable.exe', PORTABLE_EXECUTABLE_APP_FILENAME: packageName },
      'C:\\Temp\\x\\Studio.exe',
      'D:\\Studio portable.exe',
    ],
    [
      'installed, in a terminal of another portable program',
      { PORTABLE_EXECUTABLE_FILE: 'D:\\Terminal.exe', PORTABLE_EXECUTABLE_APP_FILENAME: 'terminal' },
      'C:\\Programs\\Studio.exe',
      'C:\\Programs\\Studio.exe',
    ],
  ])('of a program that is %s', (_, env, execPath, expected) => {
    expect(programFile(env, execPath)).toBe(expected)
  })
})

test.each([
  ['an installed program', { PORTABLE_EXECUTABLE_FILE: '' }, true],
  [
    'an installed program in a terminal of another portable program',
    { PORTABLE_EXECUTABLE_APP_FILENAME: 'other' },
    true,
  ],
  ['the portable program of Windows', { PORTABLE_EXECUTABLE_APP_FILENAME: packageName }, false],
])('updates can be installed by %s: %j gives %s', (_, more, expected) => {
  const env = { PORTABLE_EXECUTABLE_FILE: 'D:\\A.exe', PORTABLE_EXECUTABLE_DIR: 'D:\\', ...more }
  expect(canInstall({ env, resourcesPath: '/nowhere' })).toBe(expected)
})

test('a menu is drawn again only when it looks different, and at most once per interval', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const ending = new AbortController()
  const draw = vi.fn()
  let now = { requests: 0 }
  const changed = drawWhenDifferent(() => now, draw, { everyMs: 500, signal: ending.signal })
  const change = (requests: number) => {
    now = { requests }
    changed()
  }
  for (const requests of [1, 2, 3]) change(requests)
  vi.advanceTimersByTime(500)
  change(3)
  vi.advanceTimersByTime(500)
  expect(draw.mock.calls).toEqual([[{ requests: 3 }]])
  change(4)
  ending.abort()
  change(5)
  vi.advanceTimersByTime(500)
  expect(draw).toHaveBeenCalledOnce()
  vi.useRealTimers()
})

test('macOS asks nothing when a window is closed, and a choice counts everywhere', () => {
  expect(closeActionOf('ask', 'darwin')).toBe('background')
  expect(closeActionOf('ask', 'win32')).toBe('ask')
  expect(closeActionOf('quit', 'darwin')).toBe('quit')
})

type Shown = typeof globalThis & { shown: { tray: { toolTip: string; items: Electron.MenuItem[] } | null } }
const trayLabels = ({ evaluate }: Desktop) =>
  evaluate(() => (globalThis as Shown).shown.tray?.items.map(({ label }) => label) ?? null)
const chooseInTray = ({ evaluate }: Desktop, label: string) =>
  evaluate((_, wanted) => {
    const item = (globalThis as Shown).shown.tray?.items.find((one) => one.label === wanted)
    item?.click(undefined as never)
  }, label)
const closeWindow = ({ evaluate }: Desktop) =>
  evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
const windowCount = ({ evaluate }: Desktop) => evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)
const questions = ({ errors }: Desktop) => errors().match(/^question: .*$/gm) ?? []

// A real tray can't be read, and real message boxes wait for a person.
describe.runIf(!real)('with the replacement of Electron only', () => {
  test('the first close asks once; the program goes on in the tray, and opens a window again', {
    tags: 'long',
  }, async () => {
    const dataDir = newDataDir()
    const desktop = await launchDesktop(dataDir, { answers: [{ response: 0 }] })
    await expect.poll(() => trayLabels(desktop)).toContain('Open Inference Studio')
    await closeWindow(desktop)
    await expect.poll(() => windowCount(desktop)).toBe(0)
    await chooseInTray(desktop, 'Open Inference Studio')
    await expect.poll(() => windowCount(desktop)).toBe(1)
    await closeWindow(desktop)
    await expect.poll(() => windowCount(desktop)).toBe(0)
    expect(questions(desktop)).toEqual(['question: Keep Inference Studio running in the background?'])
    expect((await runDesktopToItsEnd(dataDir)).code).toBe(0)
    await expect.poll(() => windowCount(desktop)).toBe(1)
    await chooseInTray(desktop, 'Quit')
    expect(await desktop.ended).toBe(0)
    const lock = lockFolder(dataDir)
    lock.release()
    expect(lock.endedCleanlyBefore).toBe(true)
  })

  test('a cancelled close keeps the window, and asks again', { tags: 'long' }, async () => {
    const desktop = await launchDesktop(newDataDir(), { answers: [{ response: 2 }, { response: 1 }] })
    await closeWindow(desktop)
    await expect.poll(() => questions(desktop).length).toBe(1)
    expect(await windowCount(desktop)).toBe(1)
    await expect
      .poll(async () => {
        await closeWindow(desktop).catch(() => undefined)
        return questions(desktop).length
      })
      .toBe(2)
    expect(await desktop.ended).toBe(0)
  })

  test('quitting with a running reply says so; Cancel keeps it running, Quit stores what has arrived', {
    tags: 'long',
  }, async () => {
    const { desktop } = await launchConnected({}, { answers: [{ response: 1 }, { response: 0 }] })
    const { page, evaluate } = desktop
    await pickModel(page, 'writer-large')
    await send(page, 'Write at length about the sea.')
    await growths(page, 3)
    await evaluate(({ app }) => app.quit())
    await expect.poll(() => questions(desktop)).toEqual(['question: Quit now? 1 request running.'])
    await growths(page, 3)
    await expect.poll(() => trayLabels(desktop)).toContain('1 request running')
    evaluate(({ app }) => app.quit()).catch(() => undefined)
    expect(await desktop.ended).toBe(0)
    expect(questions(desktop).length).toBe(2)
  })

  test('a start in the background opens no window and shows the tray', { tags: 'long' }, async () => {
    const started = startStandIn(newDataDir(), {}, ['--background'])
    await started.endpoint
    const desktop = { ...started, page: null as never, pageAt: null as never }
    await expect.poll(() => trayLabels(desktop)).toContain('Quit')
    expect(await windowCount(desktop)).toBe(0)
    await chooseInTray(desktop, 'Open Inference Studio')
    await expect.poll(() => windowCount(desktop)).toBe(1)
    expect(await started.quit()).toBe(0)
  })
})
