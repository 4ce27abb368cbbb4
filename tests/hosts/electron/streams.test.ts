// @long It starts the desktop program for one test.
// @module-tag chromium
import { afterEach, describe, expect, test } from 'vitest'
import { launchDesktop, real } from '../../helpers/electron/launch.ts'
import { newDataDir, tidy } from './fixtures.ts'

afterEach(tidy)

// With a real Electron the scheme of the program is handled once, by the program itself.
describe.runIf(!real)('replies of protocol.handle', () => {
  test('arrive as a stream, and a page that stops reading cancels the reply', async () => {
    const { page, evaluate } = await launchDesktop(newDataDir())
    await evaluate(({ net }) => {
      // Replaces the program's handler for one path.
      const seen = { pulled: 0, cancelled: false }
      Object.assign(globalThis, { seen })
      const { handlers } = globalThis as unknown as { handlers: Map<string, (request: Request) => Promise<Response>> }
      const before = handlers.get('app')
      handlers.set('app', async (request) => {
        if (!request.url.endsWith('/endless')) return before ? before(request) : net.fetch(request)
        const body = new ReadableStream({
          async pull(controller) {
            seen.pulled++
            await new Promise((resolve) => setTimeout(resolve, 20))
            controller.enqueue(new TextEncoder().encode(`piece ${seen.pulled}\n`))
          },
          cancel() {
            seen.cancelled = true
          },
        })
        return new Response(body, { headers: { 'Content-Type': 'text/plain' } })
      })
    })
    const first = await page.evaluate(async () => {
      const stopped = new AbortController()
      const reply = await fetch('/endless', { signal: stopped.signal })
      const reader = reply.body?.getReader()
      const piece = await reader?.read()
      stopped.abort()
      return new TextDecoder().decode(piece?.value)
    })
    expect(first).toMatch(/^piece 1\n/)
    const seen = () => evaluate(() => (globalThis as unknown as { seen: { cancelled: boolean } }).seen.cancelled)
    await expect.poll(seen).toBe(true)
  })
})
