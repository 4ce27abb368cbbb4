import type * as Electron from 'electron'
import { modes } from './modes.ts'
import { Emitter, electronEvent, only, onlyKeys } from './only.ts'
import type { Page } from './page.ts'
import { StandInPort } from './ports.ts'
import type { StandInSession } from './session.ts'
import { decode, encode } from './wire.js'

interface ReportedEvent {
  contextMenu?: Partial<Electron.ContextMenuParams>
  channel?: string
  args?: string
  port?: number
  data?: string
  closed?: boolean
}

class Frame implements Pick<Electron.WebFrameMain, 'url' | 'parent' | 'postMessage'> {
  url = ''
  readonly parent = null
  private readonly contents: Contents

  constructor(contents: Contents) {
    this.contents = contents
  }

  postMessage(channel: string, message: unknown, transfer: readonly Electron.MessagePortMain[] = []): void {
    this.contents.sendWithPorts(channel, message, transfer)
  }
}

let lastId = 0

/** `WebContents` of one window. `page` is set after Chromium has opened it. */
export class Contents
  extends Emitter
  implements
    Pick<
      Electron.WebContents,
      | 'id'
      | 'setWindowOpenHandler'
      | 'getURL'
      | 'reload'
      | 'isDestroyed'
      | 'startDrag'
      | 'forcefullyCrashRenderer'
      | 'executeJavaScript'
      | 'print'
      | 'printToPDF'
      | 'setWebRTCIPHandlingPolicy'
    >
{
  readonly id: number
  readonly session: StandInSession
  webRtcPolicy: Parameters<Electron.WebContents['setWebRTCIPHandlingPolicy']>[0] | null = null
  readonly mainFrame: Electron.WebFrameMain
  private page: Page | null = null
  private destroyed = false
  private openHandler: ((details: Electron.HandlerDetails) => Electron.WindowOpenHandlerResponse) | null = null
  private readonly ports = new Map<number, { take(text: string): void; gone(): void }>()
  private lastPort = 0
  private readonly ipc: Emitter

  constructor(ipc: Emitter, session: StandInSession) {
    super([
      'did-start-navigation',
      'will-navigate',
      'will-frame-navigate',
      'will-redirect',
      'will-attach-webview',
      'did-navigate',
      'did-finish-load',
      'did-fail-load',
      'destroyed',
      'render-process-gone',
      'context-menu',
    ])
    lastId += 1
    this.id = lastId
    this.ipc = ipc
    this.session = session
    // The few members that a frame has here; all others throw.
    this.mainFrame = only<object>('WebFrameMain', new Frame(this)) as Electron.WebFrameMain
  }

  setWindowOpenHandler(handler: (details: Electron.HandlerDetails) => Electron.WindowOpenHandlerResponse): void {
    this.openHandler = handler
  }

  getURL(): string {
    return this.mainFrame.url
  }

  forcefullyCrashRenderer(): void {
    void this.page?.crash()
  }

  crashed(): void {
    this.left()
    this.emit('render-process-gone', electronEvent({}), { reason: 'crashed', exitCode: 5 })
  }

  async executeJavaScript(code: string, userGesture = false): Promise<unknown> {
    return this.page?.run(code, userGesture)
  }

  setWebRTCIPHandlingPolicy(policy: Parameters<Electron.WebContents['setWebRTCIPHandlingPolicy']>[0]): void {
    if (this.session.partition === null)
      throw new Error('The stand-in for electron has WebRTC policies of partitions alone')
    this.webRtcPolicy = policy
  }

  /**
   * Prints nothing. Calls `globalThis.printed` first, so that a test can capture the page with `page.pdf()`. Any option makes Electron look
   * for a printer before the dialog, and there is none here.
   */
  print(
    options: Electron.WebContentsPrintOptions = {},
    callback: (success: boolean, failureReason: string) => void = () => undefined,
  ): void {
    onlyKeys('print', options, ['printBackground', 'usePrinterDefaultPageSize'])
    const needsPrinter = Object.keys(options).length > 0
    const printFails = needsPrinter ? 'No printers available on the network' : modes.printFails
    const printed =
      (globalThis as { printed?: (contents: Contents) => Promise<void> }).printed ?? (async () => undefined)
    const finish = async (): Promise<void> => {
      if (!needsPrinter) await printed(this)
      callback(printFails === undefined, printFails ?? '')
    }
    void finish()
  }

  /** Chromium's own PDF of the page. */
  async printToPDF(options: Electron.PrintToPDFOptions): Promise<Buffer> {
    const known = ['printBackground', 'generateTaggedPDF', 'generateDocumentOutline', 'pageSize'] as const
    onlyKeys('printToPDF', options, known)
    const { printFails } = modes
    if (printFails !== undefined) throw new Error(printFails)
    if (!this.page) throw new Error('The stand-in for electron has no page to print')
    return this.page.pdf(options)
  }

  reload(): void {
    void this.page?.reload()
  }

  /** Tests replace this method, because a drag of Chromium can't leave the page. */
  startDrag(item: Electron.Item): void {
    onlyKeys('startDrag', item, ['file', 'icon'])
    throw new Error(`The stand-in for electron drags nothing out: ${item.file}`)
  }

  isDestroyed(): boolean {
    return this.destroyed
  }

  opened(page: Page): void {
    this.page = page
  }

  committed(url: string): void {
    Object.assign(this.mainFrame, { url })
    this.emit('did-navigate', electronEvent({}), url, 200, 'OK')
  }

  moved(url: string): void {
    Object.assign(this.mainFrame, { url })
  }

  /** Called before a handler can prevent the navigation, so also for prevented ones. */
  starts(url: string, isMainFrame: boolean): void {
    this.emit('did-start-navigation', this.navigation(url, isMainFrame))
  }

  private navigation(url: string, isMainFrame: boolean) {
    const frame = isMainFrame ? this.mainFrame : null
    return electronEvent({ url, isMainFrame, isSameDocument: false, frame, initiator: frame })
  }

  /** In Electron's order: `will-frame-navigate` for every frame, then `will-navigate` for the main one. */
  mayGo(url: string, isMainFrame: boolean): boolean {
    for (const name of isMainFrame ? ['will-frame-navigate', 'will-navigate'] : ['will-frame-navigate']) {
      const event = this.navigation(url, isMainFrame)
      this.emit(name, event)
      if (event.defaultPrevented) return false
    }
    return true
  }

  wantsWindow(url: string, frameName: string, features: string): void {
    const referrer = { url: '', policy: 'no-referrer' } as const
    const answer = this.openHandler?.({ url, frameName, features, disposition: 'new-window', referrer })
    if (answer?.action !== 'deny') throw new Error('The stand-in for electron opens no windows by the page')
  }

  sendWithPorts(channel: string, message: unknown, transfer: readonly Electron.MessagePortMain[]): void {
    const fars: (() => void)[] = []
    const made = transfer.map((port) => {
      if (!(port instanceof StandInPort)) throw new TypeError('Only ports are transferred')
      this.lastPort += 1
      const id = this.lastPort
      fars.push(() => this.giveAway(port, id))
      return id
    })
    this.page?.post({ channel, message: encode(message), made })
    for (const give of fars) give()
  }

  private giveAway(port: StandInPort, id: number): void {
    const far = port.handOver({
      take: (data) => this.page?.post({ port: id, data }),
      gone: () => {
        this.ports.delete(id)
        this.page?.post({ port: id, closed: true })
      },
    })
    this.ports.set(id, far)
  }

  said(text: string): void {
    const sent: ReportedEvent = JSON.parse(text)
    if (sent.contextMenu !== undefined) {
      const flags = { canUndo: true, canRedo: true, canCut: true, canCopy: true, canPaste: true, canSelectAll: true }
      // DevTools does not report Chromium's spelling.
      const none = { misspelledWord: '', dictionarySuggestions: [], editFlags: flags }
      this.emit('context-menu', electronEvent({}), { ...none, ...sent.contextMenu })
      return
    }
    if (sent.channel !== undefined) {
      const fields = { sender: this, senderFrame: this.mainFrame, ports: [], frameId: 1, processId: 1, type: 'frame' }
      const event = only('IpcMainEvent', electronEvent(fields))
      this.ipc.emit(sent.channel, event, ...(decode(sent.args ?? '') as unknown[]))
      return
    }
    const port = this.ports.get(sent.port ?? 0)
    if (sent.closed) {
      this.ports.delete(sent.port ?? 0)
      port?.gone()
    } else if (sent.data !== undefined) port?.take(sent.data)
  }

  /** Called when the document is gone. Closes its ports. */
  left(): void {
    const ports = [...this.ports.values()]
    this.ports.clear()
    for (const port of ports) port.gone()
  }

  end(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.left()
    this.emit('destroyed')
  }
}
