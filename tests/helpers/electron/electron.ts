import { fork } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import * as http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import tls from 'node:tls'
import type * as Electron from 'electron'
import { type Cdp, startChromium } from './cdp.ts'
import type { Contents } from './contents.ts'
import { takeSingleInstance } from './lock.ts'
import { modes } from './modes.ts'
import { Emitter, electronEvent, only, onlyKeys } from './only.ts'
import * as ports from './ports.ts'
import { ReplyServer } from './replies.ts'
import { defaultSession, privileged, requestFor, sessionOf } from './session.ts'
import * as windows from './window.ts'

/**
 * The `electron` module of the main process, for a machine without Electron's binary: its lifecycle in this Node process,
 * its windows real pages of a real Chromium. It knows what the desktop host uses of electron.d.ts and throws on all else.
 */

type Chromium = Awaited<ReturnType<typeof startChromium>>
const running = {
  ready: false,
  chromium: null as Chromium | null,
  /** By the names of partitions. */
  partitions: new Map<string, Promise<Chromium>>(),
  quitting: false,
  exiting: false,
}
if (modes.resourcesPath !== undefined) Object.assign(process, { resourcesPath: modes.resourcesPath })
const paths = new Map<string, string>()

/** The system can take minutes for its certificates, and the windows would not answer that long. Other processes may ask for them. */
const { getCACertificates } = tls
Object.assign(tls, {
  getCACertificates(type?: Parameters<typeof getCACertificates>[0]) {
    if (type === 'system') throw new Error('The certificates of the system would block the windows')
    return getCACertificates(type)
  },
})
syncBuiltinESMExports()

function needsReady(what: string): void {
  if (!running.ready) throw new Error(`${what} can only be used after app is ready`)
}
function needsEarly(what: string): void {
  if (running.ready) throw new Error(`${what} should be called before app is ready`)
}

class App
  extends Emitter
  implements
    Pick<
      Electron.App,
      | 'isPackaged'
      | 'isReady'
      | 'whenReady'
      | 'enableSandbox'
      | 'commandLine'
      | 'getVersion'
      | 'getPath'
      | 'setPath'
      | 'requestSingleInstanceLock'
      | 'quit'
      | 'exit'
      | 'getFileIcon'
      | 'getPreferredSystemLanguages'
      | 'setAppUserModelId'
      | 'setLoginItemSettings'
      | 'setAsDefaultProtocolClient'
      | 'getLoginItemSettings'
      | 'dock'
      | 'setUserTasks'
    >
{
  readonly isPackaged = modes.packaged === true
  readonly commandLine = only<object>('CommandLine', {
    hasSwitch: (name: string) => process.argv.includes(`--${name}`),
  }) as Electron.CommandLine
  /** Of macOS alone. */
  readonly dock = undefined
  private readonly folder: string
  private readonly becameReady = Promise.withResolvers<void>()

  constructor(folder: string) {
    super([
      'ready',
      'activate',
      'second-instance',
      'open-url',
      'open-file',
      'web-contents-created',
      'window-all-closed',
      'before-quit',
      'will-quit',
      'quit',
    ])
    this.folder = folder
  }

  getPreferredSystemLanguages(): string[] {
    needsReady('app.getPreferredSystemLanguages()')
    // The tests read English menus.
    return ['en-US']
  }

  setAsDefaultProtocolClient(scheme: string, program = ''): boolean {
    process.stderr.write(`links: ${scheme} ${program}\n`)
    return true
  }

  /** Of Windows alone. */
  setUserTasks(): boolean {
    throw new Error('There is no jump list here')
  }

  /** Of macOS and Windows alone. */
  setLoginItemSettings(): void {
    if (process.platform === 'linux') throw new Error('There are no login items on Linux')
  }

  getLoginItemSettings(): Electron.LoginItemSettings {
    throw new Error('The stand-in for electron has no login items')
  }

  /** Of Windows alone. */
  setAppUserModelId(id: string): void {
    if (process.platform === 'win32') paths.set('appUserModelId', id)
  }

  isReady(): boolean {
    return running.ready
  }

  whenReady(): Promise<void> {
    return this.becameReady.promise
  }

  enableSandbox(): void {
    needsEarly('app.enableSandbox()')
    // On Linux, Chromium then starts processes that wait for a sandbox which is not there: windows stay white, or crash.
    if (this.commandLine.hasSwitch('no-sandbox')) throw new Error('app.enableSandbox() conflicts with --no-sandbox')
  }

  getVersion(): string {
    return String(JSON.parse(readFileSync(join(this.folder, 'package.json'), 'utf8')).version)
  }

  getPath(name: Parameters<Electron.App['getPath']>[0]): string {
    const path = paths.get(name)
    if (path === undefined) throw new Error(`The stand-in for electron has no path for "${name}" before it is set`)
    return path
  }

  setPath(name: string, path: string): void {
    onlyKeys('app.setPath', { [name]: path }, ['userData', 'crashDumps'])
    paths.set(name, path)
  }

  requestSingleInstanceLock(): boolean {
    return takeSingleInstance(this.getPath('userData'), (argv, cwd) => {
      // Chromium adds switches, and puts them before the other arguments.
      const added = '--allow-file-access-from-files'
      this.emit('second-instance', electronEvent({}), argv.toSpliced(1, 0, added), cwd, undefined)
    })
  }

  quit(): void {
    if (running.quitting) return
    const event = electronEvent({})
    this.emit('before-quit', event)
    if (event.defaultPrevented) return
    running.quitting = true
    const open = windows.BrowserWindow.getAllWindows()
    for (const window of open) window.close()
    if (open.length === 0) this.end()
  }

  /**
   * Electron starts the program again after its end. The process that launched the stand-in does that itself. Electron's waiting process
   * runs from the mount of an AppImage, and may not mount anything itself.
   */
  relaunch(options: Electron.RelaunchOptions): void {
    onlyKeys('app.relaunch', options, ['execPath', 'args'])
    const { APPIMAGE } = process.env
    const mountsNothing = options.execPath === APPIMAGE && options.args?.[0] === '--appimage-extract-and-run'
    if (APPIMAGE !== undefined && !mountsNothing) throw new Error('The AppImage would not come back')
    process.stderr.write('relaunch requested\n')
  }

  exit(code = 0): void {
    if (running.exiting) return
    running.exiting = true
    this.emit('quit', electronEvent({}), code)
    const { chromium } = running
    const all = [...(chromium ? [chromium] : []), ...running.partitions.values()]
    if (all.length > 0)
      void Promise.allSettled(all.map(async (one) => (await one).end())).then(() => process.exit(code))
    else process.exit(code)
  }

  /** Like Electron, returns an icon for files of unknown types too. */
  getFileIcon(path: string): Promise<Electron.NativeImage> {
    needsReady('app.getFileIcon()')
    if (!existsSync(path)) return Promise.reject(new Error(`There is no file ${path}`))
    return Promise.resolve(only<object>('NativeImage', { isEmpty: () => false }) as Electron.NativeImage)
  }

  /** Called after a window has closed. The last one completes a quit, or emits `window-all-closed`; without a listener the program quits. */
  windowClosed(): void {
    if (windows.BrowserWindow.getAllWindows().length > 0 || running.exiting) return
    if (running.quitting) this.end()
    else if (!this.emit('window-all-closed')) this.quit()
  }

  private end(): void {
    const event = electronEvent({})
    this.emit('will-quit', event)
    if (event.defaultPrevented) running.quitting = false
    else this.exit(0)
  }

  async start(): Promise<void> {
    if (running.exiting) return
    const profile = join(paths.get('userData') ?? join(this.folder, 'test-results'), 'Chromium')
    const replies = await ReplyServer.start()
    const main = await startChromium(profile, modes.fullBrowser ?? false, replies.flags)
    running.chromium = main
    await watchTargets(main.cdp)
    running.ready = true
    windows.BrowserWindow.program = {
      cdp: async (contents) =>
        contents.session.partition === null ? chromiumNow() : await partitionCdp(contents, replies.flags),
      ipc: ipcMain,
      stream: (reply) => replies.offer(reply),
      contentsCreated: (contents: Contents) => this.emit('web-contents-created', electronEvent({}), contents),
      closed: () => this.windowClosed(),
    }
    this.emit('ready', electronEvent({}), {})
    this.becameReady.resolve()
  }
}

/**
 * The Chromium of a window's partition. The WebRTC policy is a flag too, so the first window of a partition decides it. It is read after the
 * task that created the window.
 */
async function partitionCdp(contents: Contents, flags: readonly string[]): Promise<Cdp> {
  await new Promise((resolve) => setImmediate(resolve))
  const { session: own, webRtcPolicy } = contents
  const wanted = [...own.proxyFlags, ...(webRtcPolicy ? [`--webrtc-ip-handling-policy=${webRtcPolicy}`] : [])]
  const profile = join(paths.get('userData') ?? '', `Chromium ${own.partition}`)
  const logged = process.argv.filter((argument) => argument.startsWith('--log-net-log='))
  const key = own.partition ?? ''
  const known =
    running.partitions.get(key) ??
    // The browser for page tests does not know the flag of the WebRTC policy.
    startChromium(profile, true, [...flags, ...wanted, ...logged]).then(async (started) => {
      await watchTargets(started.cdp)
      return started
    })
  running.partitions.set(key, known)
  return (await known).cdp
}

function chromiumNow(): Cdp {
  if (!running.chromium) throw new Error('Chromium is not running')
  return running.chromium.cdp
}

/** Closes a page that `window.open` created. Resumes it first: a debugger may have paused it, and closing a paused page blocks its opener. */
async function closePopup(cdp: Cdp, targetId: string): Promise<void> {
  const { sessionId } = await cdp.send('Target.attachToTarget', { targetId, flatten: true })
  await cdp.send('Runtime.runIfWaitingForDebugger', {}, String(sessionId))
  await cdp.send('Target.closeTarget', { targetId })
}

/** Closes each page that a page opened. `setWindowOpenHandler` has already denied it or thrown. */
async function watchTargets(cdp: Cdp): Promise<void> {
  cdp.on('event', (method: string, params: { targetInfo?: { targetId: string; type: string; openerId?: string } }) => {
    const { targetInfo } = params
    if (method !== 'Target.targetCreated' || targetInfo?.type !== 'page') return
    if (targetInfo.openerId === undefined) return
    void closePopup(cdp, targetInfo.targetId).catch(() => undefined)
  })
  await cdp.send('Target.setDiscoverTargets', { discover: true })
}

class NativeTheme extends Emitter implements Pick<Electron.NativeTheme, 'shouldUseDarkColors' | 'themeSource'> {
  private source: Electron.NativeTheme['themeSource'] = 'system'
  constructor() {
    super(['updated'])
  }
  get shouldUseDarkColors(): boolean {
    return this.source === 'dark'
  }
  get themeSource(): Electron.NativeTheme['themeSource'] {
    return this.source
  }
  set themeSource(source) {
    this.source = source
    this.emit('updated')
  }
}

const roles = [
  'reload',
  'resetZoom',
  'zoomIn',
  'zoomOut',
  'togglefullscreen',
  'toggleDevTools',
  'appMenu',
  'fileMenu',
  'editMenu',
  'windowMenu',
  'help',
  'services',
  'hide',
  'hideOthers',
  'unhide',
  'close',
  'quit',
  'undo',
  'redo',
  'cut',
  'copy',
  'paste',
  'pasteAndMatchStyle',
  'delete',
  'selectAll',
  'showSubstitutions',
  'toggleSmartQuotes',
  'toggleSmartDashes',
  'toggleTextReplacement',
  'startSpeaking',
  'stopSpeaking',
  'minimize',
  'zoom',
  'front',
]

class MenuStandIn implements Pick<Electron.Menu, 'items' | 'popup'> {
  readonly items: Electron.MenuItem[]
  constructor(items: Electron.MenuItem[]) {
    this.items = items
  }

  /** Shows nothing. Tests read `globalThis.shown.menus`. */
  popup(options: Electron.PopupOptions = {}): void {
    onlyKeys('popup', options, ['window'])
    shown.popups.push(this.items)
    shown.menus.push(this.items.map(({ label, role }) => label || String(role ?? '-')))
  }
}

/** What a person would see of menus, the tray and dialogs. Tests and `npm run screenshots` read it as `globalThis.shown`. */
const shown: {
  menus: string[][]
  popups: Electron.MenuItem[][]
  dialogs: Electron.MessageBoxOptions[]
  tray: { toolTip: string; items: Electron.MenuItem[] } | null
  /** Names of the utility processes that were started. */
  services: (string | undefined)[]
} = { menus: [], popups: [], dialogs: [], tray: null, services: [] }
Object.assign(globalThis, { shown })

class TrayStandIn extends Emitter implements Pick<Electron.Tray, 'setToolTip' | 'setContextMenu' | 'destroy'> {
  constructor(image: Electron.NativeImage | string) {
    super(['click'])
    needsReady('new Tray()')
    if (typeof image === 'string' || image.isEmpty()) throw new Error('A tray needs an image')
    shown.tray = { toolTip: '', items: [] }
  }

  setToolTip(text: string): void {
    if (shown.tray) shown.tray.toolTip = text
  }

  setContextMenu(menu: Electron.Menu | null): void {
    if (shown.tray) shown.tray.items = menu?.items ?? []
  }

  destroy(): void {
    shown.tray = null
  }
}
export const utilityProcess = only('utilityProcess', {
  /** A process of plain Node, whose `process.parentPort` is its channel to this one. */
  fork(path: string, args: string[] = [], options: Electron.ForkOptions = {}) {
    needsReady('utilityProcess.fork()')
    onlyKeys('utilityProcess.fork', options, ['serviceName', 'env', 'stdio'])
    shown.services.push(options.serviceName)
    const child = fork(path, args, {
      execArgv: ['--import', new URL('parentPort.ts', import.meta.url).href],
      serialization: 'advanced',
      ...(options.env && { env: options.env as NodeJS.ProcessEnv }),
    })
    const postMessage = (message: object): void => void child.send(message, () => undefined)
    return Object.assign(child, { postMessage }) as unknown as Electron.UtilityProcess
  },
} satisfies Pick<typeof Electron.utilityProcess, 'fork'>)

export const Tray = only('Tray', TrayStandIn)

export const nativeImage = only('nativeImage', {
  createFromPath: (path: string) => {
    const isImage = existsSync(path) && readFileSync(path).subarray(1, 4).toString() === 'PNG'
    return only<object>('NativeImage', { isEmpty: () => !isImage }) as Electron.NativeImage
  },
} satisfies Pick<typeof Electron.nativeImage, 'createFromPath'>)

let copied = ''
export const clipboard = only('clipboard', {
  async writeText(text: string) {
    copied = text
    return Promise.resolve()
  },
  readText: () => Promise.resolve(copied),
} satisfies Pick<Electron.Clipboard, 'writeText' | 'readText'>)

let applicationMenu: Electron.Menu | null = null

function buildMenu(template: Electron.MenuItemConstructorOptions[]): Electron.Menu {
  const items = template.map((item) => {
    onlyKeys('MenuItem', item, ['role', 'type', 'label', 'submenu', 'accelerator', 'enabled', 'visible', 'click'])
    if (item.role !== undefined && !roles.includes(item.role)) throw new Error(`unknown role "${item.role}"`)
    const submenu = Array.isArray(item.submenu) ? buildMenu(item.submenu) : undefined
    return only<object>('MenuItem', {
      role: item.role,
      type: item.type,
      label: item.label ?? '',
      enabled: item.enabled ?? true,
      visible: item.visible ?? true,
      accelerator: item.accelerator,
      click: item.click,
      submenu,
    })
  })
  return only<object>('Menu', new MenuStandIn(items as Electron.MenuItem[])) as Electron.Menu
}

/** Folder of the built application. */
export const applicationFolder = process.argv[2] ?? '.'
// Arguments as in a real start: the program, then the folder in a development version, then those of the person.
process.argv.splice(1, modes.packaged ? 2 : 1)
export const app = only('app', new App(applicationFolder))
export const ipcMain = only('ipcMain', new Emitter(null))
export const nativeTheme = only('nativeTheme', new NativeTheme())
export const BrowserWindow = only('BrowserWindow', windows.BrowserWindow)
export const MessageChannelMain = only('MessageChannelMain', ports.MessageChannelMain)

export const Menu = only('Menu', {
  buildFromTemplate: buildMenu,
  setApplicationMenu(menu: Electron.Menu | null) {
    needsReady('Menu.setApplicationMenu()')
    applicationMenu = menu
  },
  getApplicationMenu: () => applicationMenu,
} satisfies Pick<typeof Electron.Menu, 'buildFromTemplate' | 'setApplicationMenu' | 'getApplicationMenu'>)

export const session = only('session', {
  get defaultSession() {
    needsReady('session.defaultSession')
    return defaultSession
  },
  fromPartition(partition: string) {
    needsReady('session.fromPartition()')
    return sessionOf(partition)
  },
} satisfies Record<keyof Pick<typeof Electron.session, 'defaultSession' | 'fromPartition'>, unknown>)

/** Node's HTTP client instead of Chromium's. It follows no redirect and knows no proxy. */
export const net = only('net', {
  request(options: Electron.ClientRequestConstructorOptions) {
    needsReady('net.request()')
    const { session: _, ...rest } = options
    if (rest.protocol !== 'http:') throw new Error('The stand-in for electron sends requests over http alone')
    return http.request(rest as http.RequestOptions) as unknown as Electron.ClientRequest
  },
  /** A request of this process. Calls the handler of the scheme directly. */
  async fetch(input: string | Request, init?: RequestInit): Promise<Response> {
    needsReady('net.fetch()')
    const request = requestFor(input, init)
    const handler = defaultSession.schemes.get(request.url.split(':', 1)[0] ?? '')
    if (!handler) throw new Error('The stand-in for electron fetches nothing from the network')
    return await handler(request)
  },
} satisfies Pick<typeof Electron.net, 'request' | 'fetch'>)

export const protocol = only('protocol', {
  registerSchemesAsPrivileged(custom: Electron.CustomScheme[]) {
    needsEarly('protocol.registerSchemesAsPrivileged()')
    for (const { scheme, privileges } of custom) {
      onlyKeys('privileges', privileges ?? {}, ['standard', 'secure', 'supportFetchAPI', 'stream'])
      // The replacement serves pages over https, which has all of these privileges. A scheme without them would get too many.
      if (!privileges?.standard || !privileges.secure || !privileges.supportFetchAPI || !privileges.stream) {
        throw new Error('The stand-in for electron knows standard, secure schemes with fetch and streams alone')
      }
      privileged.add(scheme)
    }
  },
  handle(...given: Parameters<Electron.Protocol['handle']>) {
    needsReady('protocol.handle()')
    defaultSession.protocol.handle(...given)
  },
} satisfies Pick<Electron.Protocol, 'registerSchemesAsPrivileged' | 'handle'>)

const display = only<object>('Display', {
  ...{ id: 1, scaleFactor: 1, size: { width: 1920, height: 1080 } },
  workArea: { x: 0, y: 0, width: 1920, height: 1080 },
}) as Electron.Display
export const screen = only('screen', {
  getAllDisplays() {
    needsReady('screen')
    return [display]
  },
  getCursorScreenPoint: () => ({ x: 900, y: 500 }),
  getDisplayNearestPoint: () => display,
} satisfies Pick<Electron.Screen, 'getAllDisplays' | 'getCursorScreenPoint' | 'getDisplayNearestPoint'>)

/** A shortcut of the whole system. `globalThis.pressShortcut(accelerator)` presses it. */
const shortcuts = new Map<string, () => void>()
Object.assign(globalThis, { pressShortcut: (accelerator: string) => shortcuts.get(accelerator)?.() })
export const globalShortcut = only('globalShortcut', {
  register(accelerator: string, callback: () => void) {
    needsReady('globalShortcut.register()')
    if (!/^([A-Z][a-z]\w*\+)*[!-~]\w*$/.test(accelerator)) throw new TypeError(`conversion failure from ${accelerator}`)
    if (modes.takenShortcuts?.includes(accelerator) || shortcuts.has(accelerator)) return false
    shortcuts.set(accelerator, callback)
    return true
  },
  unregister: (accelerator: string) => void shortcuts.delete(accelerator),
  isRegistered: (accelerator: string) => shortcuts.has(accelerator),
} satisfies Pick<Electron.GlobalShortcut, 'register' | 'unregister' | 'isRegistered'>)

/** One screen, whose picture is a PNG file of this repository. */
export const desktopCapturer = only('desktopCapturer', {
  getSources(options: Electron.SourcesOptions) {
    needsReady('desktopCapturer.getSources()')
    onlyKeys('getSources', options, ['types', 'thumbnailSize'])
    if (modes.screenRefused) return Promise.reject(new Error('Failed to get sources.'))
    const png = readFileSync(join(import.meta.dirname, '../../../resources/icons/tray@2x.png'))
    const thumbnail = only<object>('NativeImage', { isEmpty: () => false, toPNG: () => png }) as Electron.NativeImage
    const covers = windows.BrowserWindow.getAllWindows().some((window) => window.isAlwaysOnTop() && window.isVisible())
    if (covers) throw new Error('A window of the program covers the screen')
    return Promise.resolve([only<object>('DesktopCapturerSource', { display_id: '1', thumbnail }) as never])
  },
} satisfies Pick<Electron.DesktopCapturer, 'getSources'>)

export const crashReporter = only('crashReporter', {
  start(options: Electron.CrashReporterStartOptions) {
    onlyKeys('crashReporter.start', options, ['uploadToServer'])
    needsEarly('crashReporter.start()')
    process.stderr.write(`crash dumps in ${app.getPath('crashDumps')}, upload: ${String(options.uploadToServer)}\n`)
  },
} satisfies Pick<Electron.CrashReporter, 'start'>)

export const shell = only('shell', {
  openExternal: (url: string) => Promise.reject(new Error(`The stand-in for electron opens no browser: ${url}`)),
  showItemInFolder(path: string): void {
    throw new Error(`The stand-in for electron has no file manager: ${path}`)
  },
} satisfies Pick<Electron.Shell, 'openExternal' | 'showItemInFolder'>)

export const dialog = only('dialog', {
  /** On Linux, Electron writes an error box before `ready` to standard error only. */
  showErrorBox(title: string, content: string) {
    process.stderr.write(`${running.ready ? 'error box: ' : ''}${title}\n${content}\n`)
  },
  showMessageBox(...given: [Electron.BaseWindow, Electron.MessageBoxOptions] | [Electron.MessageBoxOptions]) {
    needsReady('dialog.showMessageBox()')
    const options = given.length === 2 ? given[1] : given[0]
    onlyKeys('showMessageBox', options, [
      ...['type', 'title', 'message', 'detail', 'buttons', 'defaultId', 'cancelId', 'checkboxLabel', 'checkboxChecked'],
    ])
    const { dialogs } = shown
    const answer = modes.answers?.[Math.min(dialogs.length, modes.answers.length - 1)]
    dialogs.push(options)
    process.stderr.write(`question: ${options.message}\n`)
    // Without an answer the person has not pressed a button yet.
    if (answer === undefined) return new Promise<Electron.MessageBoxReturnValue>(() => undefined)
    return Promise.resolve({ response: answer.response, checkboxChecked: answer.checkboxChecked ?? false })
  },
  showOpenDialog(...given: [Electron.BaseWindow, Electron.OpenDialogOptions] | [Electron.OpenDialogOptions]) {
    needsReady('dialog.showOpenDialog()')
    const options = given.length === 2 ? given[1] : given[0]
    onlyKeys('showOpenDialog', options, ['title', 'properties', 'defaultPath'])
    const folder = modes.chosenFolders?.[Math.min(folderDialogs.length, modes.chosenFolders.length - 1)]
    folderDialogs.push({ options, isAboveWindow: given.length === 2 })
    Object.assign(globalThis, { folderDialogs })
    // Without an answer the person has not chosen yet.
    if (folder === undefined) return new Promise<Electron.OpenDialogReturnValue>(() => undefined)
    return Promise.resolve({ canceled: folder === null, filePaths: folder === null ? [] : [folder] })
  },
} satisfies Pick<Electron.Dialog, 'showErrorBox' | 'showMessageBox' | 'showOpenDialog'>)
const folderDialogs: { options: Electron.OpenDialogOptions; isAboveWindow: boolean }[] = []

export const powerMonitor = only('powerMonitor', new Emitter(['suspend', 'resume', 'shutdown']))

const blockers = new Set<number>()
export const powerSaveBlocker = only('powerSaveBlocker', {
  start(type: 'prevent-app-suspension' | 'prevent-display-sleep') {
    if (type !== 'prevent-app-suspension') throw new Error(`The stand-in for electron has no blocker "${type}"`)
    const id = Math.max(0, ...blockers) + 1
    blockers.add(id)
    process.stderr.write('sleep blocked\n')
    return id
  },
  stop(id: number) {
    process.stderr.write('sleep allowed\n')
    return blockers.delete(id)
  },
  isStarted: (id: number) => blockers.has(id),
} satisfies Pick<Electron.PowerSaveBlocker, 'start' | 'stop' | 'isStarted'>)

export const systemPreferences = only('systemPreferences', {
  /** Of macOS alone. */
  askForMediaAccess: (mediaType: 'microphone' | 'camera') =>
    Promise.reject(new Error(`No ${mediaType} is asked for here`)),
  /** Of macOS and Windows alone. */
  getMediaAccessStatus(): 'granted' {
    if (process.platform === 'linux') throw new Error('There is no getMediaAccessStatus on Linux')
    return 'granted'
  },
} satisfies Pick<Electron.SystemPreferences, 'askForMediaAccess' | 'getMediaAccessStatus'>)

/** Shows nothing. `NotificationStandIn.shown` has all shown notifications, oldest first. */
class NotificationStandIn extends Emitter implements Pick<Electron.Notification, 'title' | 'body' | 'silent' | 'show'> {
  static readonly shown: NotificationStandIn[] = []
  readonly title: string
  readonly body: string
  readonly silent: boolean

  constructor(options: Electron.NotificationConstructorOptions = {}) {
    super(['click', 'close', 'show', 'failed'])
    needsReady('new Notification()')
    onlyKeys('Notification', options, ['title', 'body', 'silent'])
    this.title = options.title ?? ''
    this.body = options.body ?? ''
    this.silent = options.silent ?? false
  }

  static isSupported(): boolean {
    needsReady('Notification.isSupported()')
    return true
  }

  show(): void {
    const failure = modes.notificationsFail
    if (failure === undefined) NotificationStandIn.shown.push(this)
    setImmediate(() => (failure === undefined ? this.emit('show') : this.emit('failed', electronEvent({}), failure)))
  }
}
export const Notification = only('Notification', NotificationStandIn)

/** Electron ends by these signals as by a quit (POSIX). */
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => app.quit())

/** The whole module, for the code of tests in this process. */
export const electron = only('electron', {
  app,
  BrowserWindow,
  clipboard,
  crashReporter,
  desktopCapturer,
  dialog,
  globalShortcut,
  ipcMain,
  Menu,
  MessageChannelMain,
  nativeImage,
  nativeTheme,
  net,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  screen,
  session,
  shell,
  systemPreferences,
  Tray,
  utilityProcess,
} satisfies Partial<Record<keyof typeof Electron, unknown>>)

/** Emits `ready`. The starter calls it after the program's entry has run, including its top-level awaits. */
export const start = (): Promise<void> => app.start()
export const debuggingEndpoint = (): string => chromiumNow().endpoint
