import { type Cdp, startChromium } from './electron/cdp.ts'
import { temporaryFolder } from './folders.ts'

/** A page without Playwright. */
export interface DevToolsPage {
  cdp: Cdp
  /** Runs an expression in the page and returns its value, as JSON. Waits for a promise. */
  evaluate<T>(expression: string): Promise<T>
  /** Runs an expression about ten times a second until it is true. */
  until(expression: string): Promise<void>
  /** Gives files to the input that `selector` finds. */
  setFiles(selector: string, paths: string[]): Promise<void>
  close(): Promise<void>
}

/**
 * Opens a URL in a new browser and controls it with the DevTools protocol, without Playwright. Playwright enables the Network domain in each page, which copies the
 * body of each request in the page's thread: 40 to 100 ms of CPU for 1 MB. Here no domain is enabled, so the tasks of the page are its own.
 */
export async function openDevToolsPage(url: string): Promise<DevToolsPage> {
  const { cdp, end } = await startChromium(temporaryFolder('studio-devtools-'), false)
  const { targetId } = await cdp.send('Target.createTarget', { url, width: 1200, height: 800 })
  const { sessionId } = await cdp.send('Target.attachToTarget', { targetId, flatten: true })
  if (typeof sessionId !== 'string') throw new Error('Chromium did not attach to the page.')
  const run = async (expression: string, returnByValue: boolean): Promise<{ value?: unknown; objectId?: string }> => {
    const reply = await cdp.send('Runtime.evaluate', { expression, returnByValue, awaitPromise: true }, sessionId)
    if (reply.exceptionDetails) throw new Error(`The page threw: ${JSON.stringify(reply.exceptionDetails)}`)
    return reply.result as { value?: unknown; objectId?: string }
  }
  const evaluate = async <T>(expression: string): Promise<T> => (await run(expression, true)).value as T
  // Before the document exists, the target has no context for scripts.
  const isLoaded = (): Promise<boolean> =>
    evaluate<boolean>(`document.readyState === 'complete' && location.protocol.startsWith('http')`).catch(() => false)
  while (!(await isLoaded())) await new Promise((resolve) => setTimeout(resolve, 100))
  return {
    cdp,
    evaluate,
    async until(expression) {
      while (!(await evaluate<boolean>(`Boolean(${expression})`))) {
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
    async setFiles(selector, files) {
      const { objectId } = await run(`document.querySelector(${JSON.stringify(selector)})`, false)
      await cdp.send('DOM.setFileInputFiles', { files, objectId }, sessionId)
    },
    close: end,
  }
}
