// @module-tag chromium
import { EventEmitter } from 'node:events'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { GivenFiles } from '../../../src-main/hosts/electron/givenFiles.ts'
import { dockMenu, jumpTasks, showLaunchers } from '../../../src-main/hosts/electron/launchers.ts'
import {
  listenForOpening,
  requestInArguments,
  restartArguments,
} from '../../../src-main/hosts/electron/openRequests.ts'
import { startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { composer, connectTo, replies } from '../../e2e/journey.ts'
import { launchDesktop, real, runDesktopToItsEnd } from '../../helpers/electron/launch.ts'
import { windowText } from '../../helpers/windowText.ts'
import { launchConnected, newDataDir, tidy } from './fixtures.ts'

afterEach(tidy)

describe('the arguments of a start', () => {
  const inPackage = (...argv: string[]) => requestInArguments(['/opt/studio', ...argv], '/home/me', true)

  test('name files, relative to the folder of the start', () => {
    expect(inPackage('notes.txt', '/tmp/a b.png')).toEqual({
      kind: 'files',
      paths: ['/home/me/notes.txt', '/tmp/a b.png'],
    })
    expect(inPackage('--background', '-x', '', 'https://a.example/x', 'file://elsewhere/x.txt')).toBeNull()
    expect(inPackage('file:///home/me/a%20b%C3%A9.txt', 'file:///x%2Fy')).toEqual({
      kind: 'files',
      paths: ['/home/me/a bé.txt'],
    })
    expect(inPackage()).toBeNull()
    expect(requestInArguments(['electron', '/opt/app', 'a.txt'], '/home/me', false)).toEqual({
      kind: 'files',
      paths: ['/home/me/a.txt'],
    })
    expect(requestInArguments(['electron', '/opt/app'], '/home/me', false)).toBeNull()
  })

  test('of a second start have switches of Chromium before the folder of a development version', () => {
    const second = (...argv: string[]) =>
      requestInArguments(['electron', '--original-process-start-time=1', '/opt/app', ...argv], '/home/me', false)
    expect(second()).toBeNull()
    expect(second('a.txt')).toEqual({ kind: 'files', paths: ['/home/me/a.txt'] })
  })

  test('are kept by a restart, except for what the start was asked to open', () => {
    const switches = ['--background', '--ozone-platform=x11', '--new-chat']
    const link = 'inference-studio://chat/new?prompt=Hi'
    expect(restartArguments(['/opt/studio', ...switches, 'a.txt', link], true)).toEqual(['--ozone-platform=x11'])
    expect(restartArguments(['electron', '/opt/app', 'a.txt', ...switches], false)).toEqual([
      '/opt/app',
      '--ozone-platform=x11',
    ])
  })

  test('name a link, a new chat or the quick prompt', () => {
    const link = 'inference-studio://chat/new?prompt=Hi'
    expect(inPackage('x.txt', link)).toEqual({ kind: 'link', link: { page: 'chat', id: null, prompt: 'Hi' } })
    expect(inPackage('--new-chat')).toEqual({ kind: 'new-chat' })
    expect(inPackage('--quick-prompt', 'x.txt')).toEqual({ kind: 'quick-prompt' })
  })
})

test('macOS: files that open together are one request, and those before the start are not lost', async () => {
  const app = new EventEmitter()
  const event = { preventDefault: vi.fn() }
  const listen = listenForOpening(app as never)
  app.emit('open-url', {}, 'inference-studio://chat/new?prompt=early')
  app.emit('open-file', event, '/a.txt')
  app.emit('open-file', event, '/b.png')
  const take = vi.fn()
  listen(take)
  await vi.waitFor(() => expect(take).toHaveBeenCalledTimes(2))
  expect(take.mock.calls).toEqual([
    [{ kind: 'link', link: { page: 'chat', id: null, prompt: 'early' } }],
    [{ kind: 'files', paths: ['/a.txt', '/b.png'] }],
  ])
  expect(event.preventDefault).toHaveBeenCalledTimes(2)
})

test('what a second start asks for while the core is starting is done afterwards', () => {
  const app = Object.assign(new EventEmitter(), { isPackaged: true })
  const listen = listenForOpening(app as never)
  app.emit('second-instance', {}, ['/opt/studio', 'inference-studio://chat/new?prompt=early'], '/home/me')
  app.emit('second-instance', {}, ['/opt/studio'], '/home/me')
  const take = vi.fn()
  listen(take)
  app.emit('second-instance', {}, ['/opt/studio', 'a.txt'], '/home/me')
  expect(take.mock.calls).toEqual([
    [{ kind: 'link', link: { page: 'chat', id: null, prompt: 'early' } }],
    [{ kind: 'window' }],
    [{ kind: 'files', paths: ['/home/me/a.txt'] }],
  ])
})

describe('files for a page', () => {
  test('are read once, by an id that has no path; folders, missing and huge files are skipped', async () => {
    const folder = newDataDir()
    mkdirSync(folder, { recursive: true })
    const [note, huge] = [join(folder, 'note.md'), join(folder, 'huge.bin')]
    writeFileSync(note, '# Note')
    writeFileSync(huge, '')
    truncateSync(huge, 65 * 1024 * 1024)
    const given = new GivenFiles()
    const { files, skipped } = await given.offer([note, note, folder, huge, join(folder, 'missing')])
    expect(files).toEqual([{ id: expect.any(String), name: 'note.md', mime: 'text/markdown', bytes: 6 }])
    expect(JSON.stringify(files)).not.toContain(folder)
    expect(skipped.length).toBe(3)
    writeFileSync(note, '# Note, longer than it was')
    const opened = given.open(files[0]?.id ?? '')
    expect(opened && (await text(opened.body))).toBe('# Note')
    expect(given.open(files[0]?.id ?? '')).toBeNull()
    expect(given.open(note)).toBeNull()
  })

  test('are at most 16 at once', async () => {
    const folder = newDataDir()
    mkdirSync(folder, { recursive: true })
    const paths = Array.from({ length: 20 }, (_, at) => join(folder, `${at}.txt`))
    for (const path of paths) writeFileSync(path, '')
    const { files, skipped } = await new GivenFiles().offer(paths)
    expect([files.length, skipped.length]).toEqual([16, 4])
  })
})

describe('the icon of the application', () => {
  const actions = { newChat: vi.fn(), quickPrompt: vi.fn() }

  test('has a menu in the dock of macOS, and tasks on Windows when installed', () => {
    const setMenu = vi.fn()
    const setUserTasks = vi.fn()
    const app = (isPackaged: boolean) => ({ isPackaged, setUserTasks, dock: { setMenu } }) as never
    const buildMenu = (template: unknown) => template as never
    showLaunchers({ app: app(false), buildMenu, actions, platform: 'darwin' })
    expect(setMenu).toHaveBeenCalledWith(dockMenu(actions))
    for (const item of dockMenu(actions)) item.click?.({} as never, undefined, {} as never)
    expect([actions.newChat.mock.calls.length, actions.quickPrompt.mock.calls.length]).toEqual([1, 1])
    showLaunchers({ app: app(false), buildMenu, actions, platform: 'win32' })
    expect(setUserTasks).not.toHaveBeenCalled()
    showLaunchers({ app: app(true), buildMenu, actions, platform: 'win32', program: 'C:\\Studio.exe' })
    expect(setUserTasks).toHaveBeenCalledWith(jumpTasks('C:\\Studio.exe'))
    expect(jumpTasks('C:\\Studio.exe').map((task) => [task.title, task.arguments])).toEqual([
      ['New chat', '--new-chat'],
      ['Quick prompt', '--quick-prompt'],
    ])
  })
})

test.runIf(!real)(
  'files given to a second start are in the composer: documents and images attached, nothing sent',
  { tags: 'long' },
  async () => {
    const { sandbox, dataDir, desktop } = await launchConnected()
    const { page, evaluate } = desktop
    await composer(page).fill('Look at these:')
    await page.evaluate(() => location.assign('#/usage'))
    const [note, icon] = [join(dataDir, 'note.md'), join(import.meta.dirname, '../../../resources/icons/tray@2x.png')]
    writeFileSync(note, '# Title\r\nText')
    expect((await runDesktopToItsEnd(dataDir, {}, [note, icon, join(dataDir, 'gone.txt')])).code).toBe(0)
    await page
      .getByText(windowText('shell:filesSkipped', { count: 1, names: 'gone.txt' }))
      .first()
      .waitFor()
    await composer(page).waitFor()
    expect(await composer(page).inputValue()).toBe('Look at these:')
    const documents = page.getByRole('list', { name: windowText('documents:toSend') })
    await documents.getByText('note.md').waitFor()
    await page
      .getByRole('list', { name: windowText('composer:picturesToSend') })
      .getByText('tray@2x.png')
      .waitFor()
    // macOS gives files by an event.
    await evaluate(({ app }, path) => void app.emit('open-file', { preventDefault: () => undefined }, path), note)
    await expect.poll(() => documents.getByText('note.md').count()).toBe(2)
    expect(await replies(page).count()).toBe(0)
    expect(sandbox.observe.requests().filter(({ path }) => path === '/v1/chat/completions')).toEqual([])
  },
)

test.runIf(!real)('a start with a file opens one window with the file in the composer', { tags: 'long' }, async () => {
  const sandbox = await startSandbox({ apiKey: 'sk-file' })
  const dataDir = newDataDir()
  mkdirSync(dataDir, { recursive: true })
  const folder = newDataDir()
  mkdirSync(folder, { recursive: true })
  const note = join(folder, 'letter.txt')
  writeFileSync(note, 'Dear reader')
  const { page, evaluate } = await launchDesktop(dataDir, { packaged: true }, [note])
  await connectTo(page, sandbox.baseUrl, 'sk-file')
  await page
    .getByRole('list', { name: windowText('documents:toSend') })
    .getByText('letter.txt')
    .waitFor()
  expect(await evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1)
  await sandbox.close()
})
