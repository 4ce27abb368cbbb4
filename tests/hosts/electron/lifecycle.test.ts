// @module-tag chromium
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { node24 } from '../../../resources/scripts/ready.mjs'
import { claimFolder } from '../../../src-main/core/store/dataFolder.ts'
import { lockFolder } from '../../../src-main/core/store/lock.ts'
import { databaseFile } from '../../../src-main/core/store/store.ts'
import { startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { behead, filledFolder, moreRequests } from '../../core/data/fill.ts'
import { newCertificate } from '../../helpers/certificate.ts'
import { type Desktop, launchDesktop, real, runDesktopToItsEnd, startStandIn } from '../../helpers/electron/launch.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import { windowText } from '../../helpers/windowText.ts'
import { newDataDir, tidy } from './fixtures.ts'

afterEach(tidy)

/** Whether the last owner of the folder closed everything before it ended. Acquires and releases the folder's lock. */
function endedCleanly(dataDir: string): boolean {
  const lock = lockFolder(dataDir)
  lock.release()
  return lock.endedCleanlyBefore
}

test('the scheme is registered before ready, so the page is a secure context; later registrations are refused', async () => {
  const { page, evaluate } = await launchDesktop(newDataDir())
  expect(await page.evaluate(() => isSecureContext && typeof crypto.subtle === 'object')).toBe(true)
  await expect(
    evaluate(({ protocol }) => protocol.registerSchemesAsPrivileged([{ scheme: 'late', privileges: {} }])),
  ).rejects.toThrow(/before app is ready/)
})

/** Answers the question of the first closed window with "Quit". */
const chooseToQuit = ({ evaluate }: Desktop): Promise<void> =>
  evaluate(({ dialog }) => {
    dialog.showMessageBox = async () => ({ response: 1, checkboxChecked: false })
  })

test('a second start on the same folder exits at once and focuses the first window', { tags: 'long' }, async () => {
  const dataDir = newDataDir()
  const { evaluate } = await launchDesktop(dataDir)
  await evaluate(({ app, BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.minimize()
    Object.assign(globalThis, { called: new Promise((resolve) => app.once('second-instance', resolve)) })
  })
  expect((await runDesktopToItsEnd(dataDir)).code).toBe(0)
  const windows = await evaluate(async ({ BrowserWindow }) => {
    await (globalThis as unknown as { called: Promise<unknown> }).called
    return BrowserWindow.getAllWindows().map((window) => ({
      minimized: window.isMinimized(),
      visible: window.isVisible(),
    }))
  })
  expect(windows).toEqual([{ minimized: false, visible: true }])
})

test('quit waits for the core: the database is closed and the folder is free', { tags: 'long' }, async () => {
  const dataDir = newDataDir()
  const desktop = await launchDesktop(dataDir)
  expect(() => lockFolder(dataDir)).toThrow(/already|use/i)
  expect(await desktop.quit()).toBe(0)
  expect(endedCleanly(dataDir)).toBe(true)
})

test('closing the last window quits if the person chose that, and its size and position are restored', {
  tags: 'long',
}, async () => {
  const dataDir = newDataDir()
  const place = { x: 60, y: 50, width: 1010, height: 710 }
  const first = await launchDesktop(dataDir)
  await chooseToQuit(first)
  await first.evaluate(({ BrowserWindow }, bounds) => {
    const [window] = BrowserWindow.getAllWindows()
    window?.setBounds(bounds)
    window?.close()
  }, place)
  expect(await first.ended).toBe(0)
  expect(endedCleanly(dataDir)).toBe(true)
  const second = await launchDesktop(dataDir)
  expect(await second.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds())).toEqual(place)
})

test('the window shows the repair of a damaged log, then opens the studio by itself', { tags: 'long' }, async () => {
  const dataDir = filledFolder()
  moreRequests(dataDir, 60_000)
  behead(join(dataDir, 'ledger.sqlite'))
  const { page, quit } = await launchDesktop(dataDir)
  await page.getByRole('navigation', { name: windowText('shell:pages.label') }).waitFor()
  // The start-up page was shown before. It loaded this page in its place.
  expect(await page.evaluate(() => performance.getEntriesByType('navigation').map((one) => one.toJSON().type))).toEqual(
    ['reload'],
  )
  await page.getByText('was damaged').first().waitFor()
  expect(await quit()).toBe(0)
  rmSync(dataDir, { recursive: true })
})

// A real Electron shows its error box until a person closes it, and can't be inspected before it is ready.
describe.runIf(!real)('with the replacement of Electron only', () => {
  test('a quit while the core is still starting waits for it, opens no window, and keeps the windows of the last run', {
    tags: 'long',
  }, async () => {
    const dataDir = newDataDir()
    const list = join(dataDir, 'desktop', 'windows.json')
    const open = [0, 1].map((number) => ({ number, hash: '#/usage' }))
    claimFolder(dataDir)
    mkdirSync(join(dataDir, 'desktop'))
    writeFileSync(list, JSON.stringify(open))
    const { evaluate, ended } = startStandIn(dataDir)
    const windows = evaluate(async ({ app }) => {
      let opened = 0
      app.on('web-contents-created', () => {
        opened += 1
      })
      await app.whenReady()
      // Runs after all listeners of `ready`, and before any result of the disk or a socket can arrive.
      await new Promise<void>((resolve) => process.nextTick(resolve))
      app.quit()
      return new Promise<number>((resolve) => app.once('will-quit', () => resolve(opened)))
    })
    expect(await windows).toBe(0)
    expect(await ended).toBe(0)
    expect(endedCleanly(dataDir)).toBe(true)
    expect(JSON.parse(readFileSync(list, 'utf8'))).toEqual(open)
  })

  test('a folder in use by another process is reported, and the program exits', { tags: 'long' }, async () => {
    const dataDir = newDataDir()
    const lock = lockFolder(dataDir)
    const { code, errors } = await runDesktopToItsEnd(dataDir)
    lock.release()
    expect(code).toBe(1)
    expect(errors).toMatch(/could not start\n.*(in use|already)/i)
  })

  test('a folder of another program is refused with a message, and nothing in it changes', async () => {
    const dataDir = newDataDir()
    mkdirSync(join(dataDir, 'tmp'))
    writeFileSync(join(dataDir, 'tmp', 'theirs.txt'), 'theirs')
    const { mtimeMs } = statSync(dataDir)
    const { code, errors } = await runDesktopToItsEnd(dataDir)
    expect(code).toBe(1)
    expect(errors).toMatch(/could not start\n.*contains files of other programs \(such as tmp\)/i)
    expect(readdirSync(dataDir, { recursive: true })).toEqual(['tmp', join('tmp', 'theirs.txt')])
    expect(statSync(dataDir).mtimeMs).toBe(mtimeMs)
  })

  test('a foreign file in place of the database is reported and unchanged, and the program exits', {
    tags: 'long',
  }, async () => {
    const dataDir = claimFolder(newDataDir())
    const foreign = 'this is no database, and long enough to be seen as one '.repeat(100)
    writeFileSync(databaseFile(dataDir), foreign)
    const { code, errors } = await runDesktopToItsEnd(dataDir)
    expect(code).toBe(1)
    expect(errors).toMatch(/could not start\n.*another program/i)
    expect(readFileSync(databaseFile(dataDir), 'utf8')).toBe(foreign)
  })

  test('the replacement throws on members that it does not implement', { tags: 'long' }, async () => {
    const { evaluate } = await launchDesktop(newDataDir())
    const heard = await evaluate((electron) => {
      const tries: Record<string, () => unknown> = {
        module: () => electron.contentTracing,
        member: () => electron.app.getLocale(),
        event: () => electron.app.on('certificate-error', () => undefined),
        path: () => electron.app.getPath('music'),
        option: () => new electron.BrowserWindow({ kiosk: true }),
        protection: () => new electron.BrowserWindow({ webPreferences: { sandbox: false, preload: 'x' } }),
        contents: () => electron.BrowserWindow.getAllWindows()[0]?.webContents.openDevTools(),
        session: () => electron.session.fromPath('/other'),
      }
      return Object.entries(tries).map(([name, attempt]) => {
        try {
          attempt()
          return `${name} passed`
        } catch (thrown) {
          return `${name}: ${String(thrown).includes('stand-in for electron')}`
        }
      })
    })
    expect(heard).toEqual(
      ['module', 'member', 'event', 'path', 'option', 'protection', 'contents', 'session'].map(
        (name) => `${name}: true`,
      ),
    )
  })
})

/** Fills the window with a chat, then deletes everything in Settings. */
async function deleteEverything({ page }: Desktop): Promise<void> {
  await page.getByRole('button', { name: 'Try the sandbox' }).click()
  await page.locator('article[data-status="complete"]').first().waitFor()
  await page.evaluate(() => location.assign('#/settings/data'))
  await page.getByRole('button', { name: windowText('data:eraseAll.open') }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('textbox').fill('delete')
  await dialog.getByRole('button', { name: windowText('data:eraseAll.confirm') }).click()
}

test('deleting everything restarts the program, which then starts as new on the same folder', {
  tags: 'long',
}, async () => {
  const dataDir = newDataDir()
  const desktop = await launchDesktop(dataDir)
  // The test itself restarts the program, because a separate process would outlive the test.
  await desktop.evaluate(({ app }) => {
    app.relaunch = () => void process.stderr.write('relaunch requested\n')
  })
  await deleteEverything(desktop)
  expect(await desktop.ended).toBe(0)
  expect(desktop.errors()).toContain('relaunch requested')

  const again = await launchDesktop(dataDir)
  await again.page.getByRole('heading', { name: windowText('shell:welcome.title') }).waitFor()
  expect(readdirSync(dataDir)).not.toContain('studio.erase.json')
})

test.runIf(!real && process.platform === 'linux')(
  'an AppImage that restarts is started from its file after its end',
  {
    tags: 'long',
  },
  async () => {
    const folder = temporaryFolder('studio-appimage-')
    const [image, mark, report] = ['Studio.AppImage', 'ended', 'report'].map((name) => join(folder, name))
    const script = `#!/bin/sh\ntest -e ${mark} && state=ended || state=running\necho "$state $*" > ${report}\n`
    writeFileSync(image ?? '', script, { mode: 0o700 })
    // The mount of the file, in which the program is.
    const env = { APPIMAGE: image ?? '', APPDIR: dirname(realpathSync(node24())) }
    const desktop = await launchDesktop(newDataDir(), { packaged: true, env }, ['--enable-logging', '--new-chat'])
    await desktop.evaluate((_, path) => {
      process.on('exit', () => process.getBuiltinModule('node:fs').writeFileSync(path, ''))
    }, mark ?? '')
    await deleteEverything(desktop)
    expect(await desktop.ended).toBe(0)
    await expect
      .poll(() => readFileSync(report ?? '', { encoding: 'utf8', flag: 'a+' }))
      .toBe('ended --enable-logging\n')
  },
)

test.runIf(!real)(
  'the certificates of the system are read by another process, and for plain HTTP not at all',
  async () => {
    const sandbox = await startSandbox()
    const secure = await listenOnLoopback(createServer(newCertificate('localhost'), (_, response) => response.end()))
    onTestFinished(async () => {
      secure.close()
      await sandbox.close()
    })
    const { page, errors, evaluate } = await launchDesktop(newDataDir())
    const readers = () =>
      evaluate(() => {
        const { shown } = globalThis as unknown as { shown: { services: (string | undefined)[] } }
        return shown.services.filter((name) => name === 'certificates').length
      })
    const connect = page.getByRole('button', { name: windowText('connect:connect'), exact: true })
    const address = page.getByRole('textbox', { name: windowText('connect:baseUrl') })
    await connect.first().click()
    await address.fill(sandbox.baseUrl)
    await page.getByLabel(windowText('connect:key'), { exact: true }).fill('wrong')
    await page.getByRole('radio', { name: windowText('connect:saveForSession') }).check()
    await connect.last().click()
    await page.getByText(windowText('connect:cause.keyRejected')).waitFor()
    expect(await readers()).toBe(0)

    await address.fill(secure.url.replace('http://127.0.0.1', 'https://localhost'))
    await connect.last().click()
    await page.getByText(/certificate can’t be verified/).waitFor()
    expect(await readers()).toBe(1)
    expect(errors()).not.toContain('certificates of the system')
  },
)
