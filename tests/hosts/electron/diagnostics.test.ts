// @module-tag chromium
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { crashDumps, startCrashDumps } from '../../../src-main/hosts/electron/crashDumps.ts'
import { lastProblems, openLogFile } from '../../../src-main/hosts/electron/logFile.ts'
import { expectAccessible } from '../../e2e/chatWorld.ts'
import { real } from '../../helpers/electron/launch.ts'
import { windowText } from '../../helpers/windowText.ts'
import { launchConnected, newDataDir, tidy } from './fixtures.ts'

afterEach(tidy)

test('crash dumps are written to the data folder, never uploaded, and only the ten newest stay', () => {
  const folder = join(newDataDir(), 'crashes')
  const parts = { app: { setPath: vi.fn() }, crashReporter: { start: vi.fn() } }
  startCrashDumps(folder, parts)
  expect(crashDumps(folder)).toEqual([])
  mkdirSync(join(folder, 'completed'), { recursive: true })
  const path = (at: number): string => join(folder, 'completed', `${at}.dmp`)
  for (let at = 0; at < 14; at++) {
    writeFileSync(path(at), 'dump')
    utimesSync(path(at), at, at)
  }
  writeFileSync(join(folder, 'settings.dat'), '')
  startCrashDumps(folder, parts)
  expect(crashDumps(folder)).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4].map(path))
  expect(existsSync(join(folder, 'settings.dat'))).toBe(true)
  expect(parts.app.setPath).toHaveBeenLastCalledWith('crashDumps', folder)
  expect(parts.crashReporter.start).toHaveBeenLastCalledWith({ uploadToServer: false })
})

test('the last warnings and errors of a log are found, also in a long one, and of no log there are none', () => {
  const folder = join(newDataDir(), 'logs')
  const log = openLogFile(folder)
  expect(lastProblems(log.path)).toEqual([])
  for (let at = 0; at < 3000; at++) log.write('info', `line ${at} ${'x'.repeat(30)}`)
  for (let at = 0; at < 40; at++) log.write(at % 2 === 0 ? 'warn' : 'error', `problem ${at}`)
  const found = lastProblems(log.path)
  expect(found.length).toBe(30)
  expect(found[0]).toMatch(/Z warn problem 10$/)
  expect(found.at(-1)).toMatch(/Z error problem 39$/)
})

test.runIf(!real)(
  'About shows the report with the last errors of the log, the log, and the newest crash dump',
  { tags: 'long' },
  async () => {
    const { dataDir, desktop } = await launchConnected(
      { apiKey: 'sk-desktop-report' },
      { notificationsFail: 'refused for sk-desktop-report' },
    )
    const { page, evaluate, errors } = desktop
    expect(errors()).toContain(`crash dumps in ${join(dataDir, 'desktop', 'crashes')}, upload: false`)
    await page.evaluate(() => location.assign('#/settings/alerts'))
    await page.getByRole('button', { name: windowText('alerts:settings.try') }).click()
    await page.getByRole('alert').waitFor()
    await page.evaluate(() => location.assign('#/settings/about'))
    await page.getByRole('button', { name: windowText('settings:about.showReport') }).click()
    const report = await page.getByRole('textbox', { name: windowText('settings:about.report') }).inputValue()
    expect(report).toMatch(/host: desktop/)
    expect(report).toContain('warn A notification was not shown.')
    expect(report).not.toContain('sk-desktop-report')
    await expectAccessible(page, '[data-settings]')
    await evaluate(({ shell }) => {
      const shown: string[] = []
      Object.assign(globalThis, { revealed: shown })
      shell.showItemInFolder = (path) => void shown.push(path)
    })
    const revealed = () => evaluate(() => (globalThis as unknown as { revealed: string[] }).revealed)
    await page.getByRole('button', { name: windowText('settings:about.showCrashes') }).click()
    await page.getByText(windowText('settings:about.noCrashes')).first().waitFor()
    mkdirSync(join(dataDir, 'desktop', 'crashes', 'completed'), { recursive: true })
    writeFileSync(join(dataDir, 'desktop', 'crashes', 'completed', 'a.dmp'), 'dump')
    await page.getByRole('button', { name: windowText('settings:about.showCrashes') }).click()
    await expect.poll(revealed).toEqual([join(dataDir, 'desktop', 'crashes', 'completed', 'a.dmp')])
    await page.getByRole('button', { name: windowText('settings:about.showLogs') }).click()
    await expect.poll(async () => (await revealed()).at(-1)).toBe(join(dataDir, 'desktop', 'logs', 'studio.log'))
  },
)
