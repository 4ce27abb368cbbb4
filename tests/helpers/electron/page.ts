import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { fromPage, toPage } from './address.ts'
import type { Cdp, Params } from './cdp.ts'
import { pageWorld, preloadWorld } from './preload-world.js'
import { replyHeader } from './replies.ts'
import { decode, encode } from './wire.js'

export interface PageRequest {
  id: string
  url: string
  method: string
  resourceType: string
  referrer: string
  headers: Record<string, string>
  /** Null for a request without a body. */
  body: Buffer<ArrayBuffer> | null
}

/** The window's callbacks for events of its page. Addresses are Electron's (`app://…`). */
export interface PageOwner {
  /** Called for every navigation, of the page or of the program. */
  starts(url: string, mainFrame: boolean): void
  /** Called for a navigation of the page itself. Returns false to prevent it. */
  mayGo(url: string, mainFrame: boolean): boolean
  /** The reply to a request; `cancel` refuses it; null sends it to the network. */
  reply(request: PageRequest): Promise<Response | 'cancel' | null>
  /** Prepares a reply for streaming, and returns the id that the request must carry. */
  stream(reply: Response): string
  wantsWindow(url: string, frameName: string, features: string): void
  /** A message from the world of the preload script. */
  said(text: string): void
  /** Called when the document is replaced or gone, and its preload script with it. */
  left(): void
  navigated(url: string): void
  /** Called when the page has changed its own address without another document. */
  moved(url: string): void
  loaded(): void
  /** Called when the document has another title. */
  titled(title: string): void
  /** Called when the process of the page has ended. */
  crashed(): void
  gone(): void
}

const world = 'Electron Isolated Context'
const sayName = '__electronSay'

const paused = z.object({
  requestId: z.string(),
  frameId: z.string(),
  resourceType: z.string(),
  request: z.object({
    ...{ url: z.string(), method: z.string(), headers: z.record(z.string(), z.string()) },
    /** Bytes of a body in memory, base64. DevTools does not have those of a Blob. */
    postDataEntries: z.array(z.object({ bytes: z.string() })).optional(),
  }),
})
const wish = z.object({ frameId: z.string(), url: z.string() })
const context = z.object({ context: z.object({ id: z.number(), name: z.string() }) })
const destroyed = z.object({ executionContextId: z.number() })
const binding = z.object({ name: z.string(), payload: z.string() })
const opening = z.object({ url: z.string(), windowName: z.string(), windowFeatures: z.array(z.string()) })
const frame = z.object({
  frame: z.object({
    ...{ id: z.string(), parentId: z.string().optional(), url: z.string(), urlFragment: z.string().default('') },
  }),
})
const moved = z.object({ frameId: z.string(), url: z.string() })
const info = z.object({ targetInfo: z.object({ targetId: z.string(), title: z.string() }) })
const everyRequest = { patterns: [{ urlPattern: '*' }] }
const withoutHash = (url: string): string => url.split('#', 1)[0] ?? ''

/** @param inFrames whether it runs in the frames of the page too */
interface Preload {
  file: string
  inFrames: boolean
}

/** One tab of Chromium as the page of one window. The preload script has its own world, and every request and navigation is intercepted. */
export class Page {
  readonly #cdp: Cdp
  readonly #owner: PageOwner
  readonly #target: string
  readonly #session: string
  /** Navigations that each frame requested itself. The program or the person started all others. */
  readonly #wishes = new Map<string, string>()
  /** Sessions of the frames that are targets of their own. */
  readonly #frames = new Set<string>()
  #world: number | null = null

  private constructor(cdp: Cdp, owner: PageOwner, target: string, session: string) {
    this.#cdp = cdp
    this.#owner = owner
    this.#target = target
    this.#session = session
  }

  static async open(cdp: Cdp, size: { width: number; height: number }, preload: Preload, owner: PageOwner) {
    const made = await cdp.send('Target.createTarget', { url: 'about:blank', newWindow: true, ...size })
    const target = z.string().parse(made.targetId)
    const attached = await cdp.send('Target.attachToTarget', { targetId: target, flatten: true })
    const page = new Page(cdp, owner, target, z.string().parse(attached.sessionId))
    await page.#prepare(preload)
    return page
  }

  async #prepare({ file, inFrames }: Preload): Promise<void> {
    this.#cdp.on('event', (method: string, params: Params, session: string | undefined) => {
      if (session === this.#session) this.#heard(method, params)
      else if (session !== undefined && this.#frames.has(session) && method === 'Fetch.requestPaused')
        this.#pausedIn(session, params)
      if (method === 'Target.targetDestroyed' && params.targetId === this.#target) this.#owner.gone()
      if (method !== 'Target.targetInfoChanged') return
      const { targetId, title } = info.parse(params).targetInfo
      // Chromium's title of a document without one is its address.
      if (targetId === this.#target && !/^about:|\.app\.localhost/.test(title)) this.#owner.titled(title)
    })
    const bridge = JSON.stringify(randomUUID())
    const code = readFileSync(file, 'utf8')
    const preloadFunction = `(require, module, exports) => {${code}\n}`
    const wire = `${String(encode)}, ${String(decode)}, ${inFrames}`
    const isolated = `(${String(preloadWorld)})(${preloadFunction}, ${bridge}, '${sayName}', ${wire})`
    const inPage = `(${String(pageWorld)})(${bridge}, ${String(decode)})`
    await this.#send('Page.enable')
    await this.#send('Inspector.enable')
    await this.#send('Runtime.enable')
    await this.#send('Runtime.addBinding', { name: sayName, executionContextName: world })
    await this.#send('Page.addScriptToEvaluateOnNewDocument', { source: inPage })
    await this.#send('Page.addScriptToEvaluateOnNewDocument', { source: isolated, worldName: world })
    // Electron caches nothing of a custom scheme.
    await this.#send('Network.setCacheDisabled', { cacheDisabled: true })
    await this.#send('Fetch.enable', everyRequest)
    // Frames with a process of their own, such as those of diagrams, are targets of their own.
    const filter = [{ type: 'iframe', exclude: false }]
    await this.#send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter })
  }

  /** Answers the requests of a frame that is a target of its own. A frame that is gone already needs nothing. */
  async #adopt(session: string): Promise<void> {
    this.#frames.add(session)
    for (const [method, params] of [['Fetch.enable', everyRequest], ['Runtime.runIfWaitingForDebugger']] as const)
      await this.#cdp.send(method, params, session).catch(() => undefined)
  }

  /** A page that closes ends its requests. */
  #pausedIn(session: string, params: Params): void {
    this.#answer(paused.parse(params), session).catch((thrown: unknown) => {
      if (!/has closed|Invalid InterceptionId|Session with given id/.test(String(thrown))) throw thrown
    })
  }

  /** Rejects with Chromium's message when nothing was committed. */
  async load(url: string): Promise<void> {
    const { errorText } = await this.#send('Page.navigate', { url: toPage(url) })
    if (typeof errorText === 'string') throw new Error(`${errorText} loading '${url}'`)
  }

  /** Runs code in the page's own world and returns its value. */
  async run(code: string, userGesture: boolean): Promise<unknown> {
    const { result } = await this.#send('Runtime.evaluate', {
      expression: code,
      awaitPromise: true,
      returnByValue: true,
      userGesture,
    })
    return z.object({ value: z.unknown().optional() }).parse(result).value
  }

  async pdf({ pageSize, ...options }: Electron.PrintToPDFOptions): Promise<Buffer> {
    const [paperWidth, paperHeight] = pageSize === 'A4' ? [8.27, 11.69] : [8.5, 11]
    const { data } = await this.#send('Page.printToPDF', { ...options, paperWidth, paperHeight })
    return Buffer.from(z.string().parse(data), 'base64')
  }

  /** DevTools never answers, because the process of the page is gone. */
  async crash(): Promise<void> {
    await this.#send('Page.crash').catch(() => undefined)
  }

  reload(): Promise<Params> {
    return this.#send('Page.reload')
  }

  /** Sends a message to the world of the preload script. Does nothing when the document is gone. */
  post(what: object): void {
    if (this.#world === null) return
    void this.#send('Runtime.callFunctionOn', {
      functionDeclaration: 'function (text) { globalThis.__electronHear(text) }',
      executionContextId: this.#world,
      arguments: [{ value: JSON.stringify(what) }],
    }).catch(() => undefined)
  }

  async close(): Promise<void> {
    await this.#cdp.send('Target.closeTarget', { targetId: this.#target })
  }

  #send(method: string, params: Params = {}): Promise<Params> {
    return this.#cdp.send(method, params, this.#session)
  }

  readonly #hear: Record<string, (params: Params) => void> = {
    'Fetch.requestPaused': (params) => this.#pausedIn(this.#session, params),
    'Target.attachedToTarget': (params) => void this.#adopt(z.string().parse(params.sessionId)),
    'Page.frameRequestedNavigation': (params) => {
      const { frameId, url } = wish.parse(params)
      this.#wishes.set(frameId, withoutHash(url))
    },
    'Page.windowOpen': (params) => {
      const { url, windowName, windowFeatures } = opening.parse(params)
      this.#owner.wantsWindow(fromPage(url), windowName, windowFeatures.join(','))
    },
    'Page.frameNavigated': (params) => {
      const { id, parentId, url, urlFragment } = frame.parse(params).frame
      this.#wishes.delete(id)
      if (parentId === undefined) this.#owner.navigated(fromPage(`${url}${urlFragment}`))
    },
    'Page.navigatedWithinDocument': (params) => {
      const { frameId, url } = moved.parse(params)
      if (frameId === this.#target) this.#owner.moved(fromPage(url))
    },
    'Inspector.targetCrashed': () => {
      this.#leave()
      this.#owner.crashed()
    },
    'Page.loadEventFired': () => this.#owner.loaded(),
    'Runtime.executionContextCreated': (params) => {
      const { id, name } = context.parse(params).context
      if (name === world) this.#world = id
    },
    'Runtime.executionContextDestroyed': (params) => {
      if (destroyed.parse(params).executionContextId === this.#world) this.#leave()
    },
    'Runtime.executionContextsCleared': () => this.#leave(),
    'Runtime.bindingCalled': (params) => {
      const { name, payload } = binding.parse(params)
      if (name === sayName) this.#owner.said(payload)
    },
  }

  #heard(method: string, params: Params): void {
    this.#hear[method]?.(params)
  }

  #leave(): void {
    this.#world = null
    this.#owner.left()
  }

  async #answer({ requestId, frameId, resourceType, request }: z.infer<typeof paused>, session: string): Promise<void> {
    const go = (more: Params = {}) => this.#cdp.send('Fetch.continueRequest', { requestId, ...more }, session)
    const fail = (errorReason: string) => this.#cdp.send('Fetch.failRequest', { requestId, errorReason }, session)
    const url = fromPage(request.url)
    if (resourceType === 'Document') this.#owner.starts(url, frameId === this.#target)
    if (resourceType === 'Document' && this.#wished(frameId, request.url)) {
      // With `Aborted` the page does not change, as after a prevented navigation.
      if (!this.#owner.mayGo(url, frameId === this.#target)) return void (await fail('Aborted'))
    }
    const { postDataEntries, headers } = request
    const { Origin: origin, Referer: referrer = '' } = headers
    const reply = await this.#owner.reply({
      ...{ id: requestId, url, method: request.method, resourceType, referrer },
      headers: { ...headers, ...(origin !== undefined && { Origin: fromPage(origin) }) },
      body: postDataEntries ? Buffer.concat(postDataEntries.map(({ bytes }) => Buffer.from(bytes, 'base64'))) : null,
    })
    if (reply === 'cancel') return void (await fail('BlockedByClient'))
    if (reply === null) return void (await go())
    if (reply.status >= 300 && reply.status < 400) throw new Error('The stand-in for electron follows no redirection')
    const carried = Object.entries(headers).map(([name, value]) => ({ name, value }))
    const id = { name: replyHeader, value: this.#owner.stream(reply) }
    await go({ headers: [...carried, id] })
  }

  /**
   * Whether the page itself requested this navigation. Navigations of inner frames are always the page's own. The request has already been
   * recorded: the page's process sends both over one channel, the request first.
   */
  #wished(frameId: string, url: string): boolean {
    return frameId !== this.#target || this.#wishes.get(frameId) === withoutHash(url)
  }
}
