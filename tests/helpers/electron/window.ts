import { existsSync } from 'node:fs'
import type * as Electron from 'electron'
import type { Cdp } from './cdp.ts'
import { Contents } from './contents.ts'
import { modes } from './modes.ts'
import { Emitter, electronEvent, only, onlyKeys } from './only.ts'
import { Page, type PageRequest } from './page.ts'
import {
  defaultSession,
  isCancelled,
  requestFor,
  type StandInSession,
  sessionOf,
  settlePermissions,
} from './session.ts'

const optionNames = [
  'width',
  'height',
  'x',
  'y',
  'minWidth',
  'minHeight',
  'show',
  'title',
  'icon',
  'backgroundColor',
  'autoHideMenuBar',
  'frame',
  'alwaysOnTop',
  'skipTaskbar',
  'fullscreenable',
  'maximizable',
  'minimizable',
  'type',
  'webPreferences',
] as const satisfies readonly (keyof Electron.BrowserWindowConstructorOptions)[]

/** The protection of this stand-in, which is Electron's default. A window that requests less does not open. */
const always = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  webviewTag: false,
  navigateOnDragDrop: false,
} as const satisfies Electron.WebPreferences
const freely = [
  ...['preload', 'spellcheck', 'devTools', 'partition', 'nodeIntegrationInSubFrames'],
] as const satisfies readonly (keyof Electron.WebPreferences)[]

function checkPreferences(given: Electron.WebPreferences): { file: string; inFrames: boolean } {
  onlyKeys('webPreferences', given, [...Object.keys(always), ...freely])
  const asked = { ...always, ...given }
  for (const [key, value] of Object.entries(always)) {
    if (asked[key as keyof typeof always] !== value)
      throw new Error(`The stand-in for electron has ${key}: ${value} alone`)
  }
  if (given.preload === undefined) throw new Error('The stand-in for electron opens no window without a preload')
  return { file: given.preload, inFrames: given.nodeIntegrationInSubFrames ?? false }
}

/** What a window needs from the program. */
export interface Program {
  /** The Chromium of the session. */
  cdp(contents: Contents): Promise<Cdp>
  ipc: Emitter
  stream(reply: Response): string
  contentsCreated(contents: Contents): void
  closed(window: BrowserWindow): void
}

type Known =
  | 'loadURL'
  | 'show'
  | 'hide'
  | 'isAlwaysOnTop'
  | 'setProgressBar'
  | 'setVisibleOnAllWorkspaces'
  | 'focus'
  | 'isFocused'
  | 'isVisible'
  | 'minimize'
  | 'restore'
  | 'isMinimized'
  | 'maximize'
  | 'isMaximized'
  | 'getBounds'
  | 'setBounds'
  | 'getNormalBounds'
  | 'getMinimumSize'
  | 'getTitle'
  | 'setBackgroundColor'
  | 'getBackgroundColor'
  | 'close'
  | 'destroy'
  | 'isDestroyed'

export class BrowserWindow extends Emitter implements Pick<Electron.BrowserWindow, Known> {
  static program: Program | null = null
  private static readonly all = new Set<BrowserWindow>()

  readonly webContents: Contents
  private readonly options: Electron.BrowserWindowConstructorOptions
  private readonly page: Promise<Page>
  private bounds: Electron.Rectangle
  private colour: string
  private title: string
  private state: 'normal' | 'minimized' | 'maximized' = 'normal'
  private visible: boolean
  private focused = false
  private painted = false
  private destroyed = false
  /** Progress as the taskbar would show it. Tests read it. */
  progress = -1

  constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
    super([
      ...['ready-to-show', 'show', 'hide', 'focus', 'blur', 'close', 'closed', 'unresponsive', 'responsive'],
      ...['query-session-end', 'session-end', 'page-title-updated'],
    ])
    const { program } = BrowserWindow
    if (!program) throw new Error('Cannot create BrowserWindow before app is ready')
    onlyKeys('BrowserWindow', options, optionNames)
    const preload = checkPreferences(options.webPreferences ?? {})
    if (typeof options.icon === 'string' && !existsSync(options.icon))
      throw new Error(`There is no icon ${options.icon}`)
    const { width = 800, height = 600, x = 0, y = 0 } = options
    this.options = options
    this.bounds = { x, y, width, height }
    this.colour = options.backgroundColor ?? '#FFFFFF'
    this.visible = options.show ?? true
    const { partition } = options.webPreferences ?? {}
    const session = partition === undefined ? defaultSession : sessionOf(partition)
    this.webContents = only('WebContents', new Contents(program.ipc, session))
    this.title = options.title ?? 'Electron'
    const self = only('BrowserWindow', this)
    BrowserWindow.all.add(self)
    program.contentsCreated(this.webContents)
    this.page = this.openPage(program, preload, self)
    // The caller of `loadURL` gets the failure.
    this.page.catch(() => undefined)
    // biome-ignore lint/correctness/noConstructorReturn: callers get the window that throws for unknown members.
    return self
  }

  static getFocusedWindow(): BrowserWindow | null {
    return [...BrowserWindow.all].find((window) => window.focused) ?? null
  }

  static fromWebContents(contents: unknown): BrowserWindow | null {
    return [...BrowserWindow.all].find(({ webContents }) => webContents === contents) ?? null
  }

  static getAllWindows(): BrowserWindow[] {
    return [...BrowserWindow.all]
  }

  private async openPage(
    program: Program,
    preload: ReturnType<typeof checkPreferences>,
    self: BrowserWindow,
  ): Promise<Page> {
    const contents = this.webContents
    const page = await Page.open(await program.cdp(contents), this.bounds, preload, {
      starts: (url, mainFrame) => contents.starts(url, mainFrame),
      mayGo: (url, mainFrame) => contents.mayGo(url, mainFrame),
      reply: (request) => answer(contents.session, request),
      stream: (reply) => program.stream(reply),
      wantsWindow: (url, name, features) => contents.wantsWindow(url, name, features),
      said: (text) => contents.said(text),
      left: () => contents.left(),
      navigated: (url) => contents.committed(url),
      moved: (url) => contents.moved(url),
      loaded: () => {
        contents.emit('did-finish-load')
        if (self.painted) return
        self.painted = true
        if (!modes.withholdReadyToShow) self.emit('ready-to-show')
      },
      titled: (title) => self.titled(title),
      crashed: () => contents.crashed(),
      gone: () => self.finish(),
    })
    contents.opened(page)
    return page
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.page
    const { program } = BrowserWindow
    if (!program) return
    const { webContents: contents } = this
    const cdp = await program.cdp(contents)
    await settlePermissions(cdp, contents.session, contents as unknown as Electron.WebContents, url)
    // Chromium treats the address that a window already has as a reload.
    if (url === this.webContents.getURL()) await page.reload()
    else await page.load(url)
  }

  show(): void {
    this.visible = true
    this.emit('show')
    this.focus()
  }

  hide(): void {
    if (!this.visible) return
    this.visible = false
    this.emit('hide')
    this.loseFocus()
  }

  /** At most one window has the focus. */
  focus(): void {
    if (this.focused || this.destroyed) return
    for (const other of BrowserWindow.all) if (other.webContents !== this.webContents) other.loseFocus()
    this.focused = true
    this.emit('focus')
  }

  loseFocus(): void {
    if (!this.focused) return
    this.focused = false
    this.emit('blur')
  }

  isAlwaysOnTop(): boolean {
    return this.options.alwaysOnTop ?? false
  }

  setProgressBar(progress: number): void {
    this.progress = progress
  }

  setVisibleOnAllWorkspaces(_visible: boolean, options: Electron.VisibleOnAllWorkspacesOptions = {}): void {
    onlyKeys('setVisibleOnAllWorkspaces', options, ['visibleOnFullScreen', 'skipTransformProcessType'])
    // On macOS the program would lose its dock icon and its menu.
    if (options.visibleOnFullScreen && !options.skipTransformProcessType) throw new Error('The dock icon disappears')
  }

  isFocused(): boolean {
    return this.focused
  }

  isVisible(): boolean {
    return this.visible
  }

  minimize(): void {
    this.state = 'minimized'
    this.loseFocus()
  }

  restore(): void {
    this.state = 'normal'
  }

  isMinimized(): boolean {
    return this.state === 'minimized'
  }

  maximize(): void {
    this.state = 'maximized'
  }

  isMaximized(): boolean {
    return this.state === 'maximized'
  }

  getBounds(): Electron.Rectangle {
    return { ...this.bounds }
  }

  setBounds(bounds: Partial<Electron.Rectangle>): void {
    this.bounds = { ...this.bounds, ...bounds }
  }

  getNormalBounds(): Electron.Rectangle {
    return { ...this.bounds }
  }

  getMinimumSize(): number[] {
    return [this.options.minWidth ?? 0, this.options.minHeight ?? 0]
  }

  getTitle(): string {
    return this.title
  }

  setBackgroundColor(colour: string): void {
    this.colour = colour
  }

  getBackgroundColor(): string {
    return this.colour.toUpperCase()
  }

  close(): void {
    const event = electronEvent({})
    this.emit('close', event)
    if (event.defaultPrevented) return
    this.page
      .then((page) => page.close())
      .catch(() => undefined)
      .finally(() => this.finish())
  }

  /** Closes the page without asking it. */
  destroy(): void {
    this.page.then((page) => page.close()).catch(() => undefined)
    this.finish()
  }

  titled(title: string): void {
    const event = electronEvent({})
    this.emit('page-title-updated', event, title, true)
    if (!event.defaultPrevented) this.title = title
  }

  isDestroyed(): boolean {
    return this.destroyed
  }

  finish(): void {
    if (this.destroyed) return
    this.destroyed = true
    for (const window of BrowserWindow.all)
      if (window.webContents === this.webContents) BrowserWindow.all.delete(window)
    this.webContents.end()
    this.emit('closed')
    BrowserWindow.program?.closed(this)
  }
}

/** A request of a page: first `webRequest`, then the scheme's handler, as in Electron. */
async function answer(session: StandInSession, request: PageRequest): Promise<Response | 'cancel' | null> {
  if (await isCancelled(session, request)) return 'cancel'
  const handler = session.schemes.get(request.url.split(':', 1)[0] ?? '')
  if (!handler) return null
  const { url, method, headers, body } = request
  return await handler(requestFor(url, { method, headers, body }))
}
