import { randomUUID } from 'node:crypto'
import { BrowserWindow, type Dialog, type Session, session } from 'electron'
import type { Host } from '../../core/host.ts'
import { runningPageHeaders } from '../csp.ts'
import { scheme } from './address.ts'
import { guardNetwork, guardPermissions } from './permissions.ts'
import { webPreferences } from './window.ts'
import { t } from './words.ts'

/** A page of a reply, with scripts. */
export interface RunningPage {
  name: string
  html: string
}

/** Without `persist:` the session is in memory. */
const partition = 'page'

/** Nothing can listen on port 0, so every connection fails. Chromium bypasses a proxy for this computer without the last rule. */
const nowhere = { mode: 'fixed_servers', proxyRules: 'socks5://127.0.0.1:0', proxyBypassRules: '<-loopback>' } as const

interface PageWindowsOptions {
  /** The preload script of pages (src-preload/page.ts). */
  preload: string
  devTools: boolean
  dialog: Pick<Dialog, 'showMessageBox'>
  log: Host['log']
}

/**
 * Windows in which the scripts of a reply's page run. Whatever such a page does inside of its window, it has no network: the session has no
 * proxy that works, requests other than for the page are cancelled, WebRTC may use the proxy only, and no name is resolved
 * (`runningPageHeaders`). It can't navigate, open a window, download, use a device or the clipboard. It has a window of its own, because a
 * frame shares the session, the focus and the history of the window around it. Create after `ready`.
 */
export class PageWindows {
  /** The session of all these windows, and of nothing else. */
  readonly session: Session
  readonly #options: PageWindowsOptions
  readonly #isReady: Promise<void>
  /** The open pages by their addresses. */
  readonly #pages = new Map<string, string>()
  /** The open windows of pages by the window that they close with. */
  readonly #owned = new WeakMap<BrowserWindow, Set<BrowserWindow>>()

  constructor(options: PageWindowsOptions) {
    this.#options = options
    this.session = session.fromPartition(partition)
    this.session.protocol.handle(scheme, ({ url }) => this.#answer(url))
    guardNetwork(this.session, options.devTools, (url) => this.#pages.has(url))
    // Allows the pages of the program alone, so nothing here.
    guardPermissions(this.session)
    // Chromium would download dictionaries.
    this.session.setSpellCheckerEnabled(false)
    this.session.on('will-download', (event) => event.preventDefault())
    this.#isReady = this.session.setProxy(nowhere)
  }

  /** Opens a page. Its window closes with `owner`, or when the page stops responding. */
  async open({ name, html }: RunningPage, owner: BrowserWindow | null): Promise<void> {
    await this.#isReady
    if (owner?.isDestroyed()) return
    const { preload, devTools } = this.#options
    const address = `${scheme}://page/${randomUUID()}`
    this.#pages.set(address, html)
    const window = new BrowserWindow({
      ...{ width: 900, height: 700, minWidth: 320, minHeight: 240 },
      ...{ title: t('desktop:page.title', { name }), backgroundColor: '#ffffff', autoHideMenuBar: true },
      // The preload script is for all frames.
      webPreferences: { ...webPreferences(preload, devTools), partition, nodeIntegrationInSubFrames: true },
    })
    // A page could otherwise name its window as it likes.
    window.on('page-title-updated', (event) => event.preventDefault())
    window.webContents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
    window.on('unresponsive', () => this.#stop(window))
    window.webContents.on('render-process-gone', () => this.#stop(window))
    if (owner) this.#closeWith(owner, window)
    window.once('closed', () => this.#pages.delete(address))
    void window.loadURL(address)
  }

  /** One listener is enough for all pages of an owner; Node takes more than ten for a leak. */
  #closeWith(owner: BrowserWindow, window: BrowserWindow): void {
    const owned = this.#owned.get(owner) ?? new Set()
    if (!this.#owned.has(owner)) {
      this.#owned.set(owner, owned)
      owner.once('closed', () => {
        for (const page of owned) page.destroy()
      })
    }
    owned.add(window)
    window.once('closed', () => owned.delete(window))
  }

  #answer(url: string): Response {
    const html = this.#pages.get(url)
    if (html === undefined) return new Response(null, { status: 404 })
    return new Response(html, {
      headers: { ...runningPageHeaders(), 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
    })
  }

  #stop(window: BrowserWindow): void {
    const { dialog, log } = this.#options
    if (window.isDestroyed()) return
    window.destroy()
    log('warn', 'A page from a chat stopped responding, or Chromium has ended it, and its window was closed.')
    const [message, detail] = [t('desktop:page.stopped'), t('desktop:page.stoppedDetail')]
    void dialog.showMessageBox({ type: 'warning', title: 'Inference Studio', message, detail })
  }
}
