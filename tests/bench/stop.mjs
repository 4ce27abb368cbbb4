// Time from Esc in the page during a streamed reply until the page reacts, and until the socket of the service is closed.
import { chromium } from '@playwright/test'
import { startSandbox } from '../../src-main/sandbox/sandbox.ts'
import { chromiumArgs, findBrowser } from '../helpers/browser.mjs'
import { quantile } from './figures.mjs'
import { cli, startJson, temporaryFolder } from './processes.mjs'

const rounds = 15

/** Epoch ms of the key press and of the first frame in which the page shows the stop. */
const watchForStop = () => {
  window.stopSeen = new Promise((resolve) => {
    const last = () => [...document.querySelectorAll('article[data-role="assistant"]')].at(-1)
    const now = () => performance.timeOrigin + performance.now()
    let pressedAt = 0
    addEventListener('keydown', () => (pressedAt = now()), { capture: true, once: true })
    const look = () => {
      const stopping = [...document.querySelectorAll('button')].some(({ textContent }) =>
        /Stopping/.test(textContent ?? ''),
      )
      if (pressedAt && (stopping || last()?.dataset.status === 'stopped')) resolve({ pressedAt, shownAt: now() })
      else requestAnimationFrame(look)
    }
    look()
  })
}

export async function stopBench(report) {
  const sandbox = await startSandbox()
  const host = await startJson(
    cli,
    [
      'serve',
      '--json',
      '--web-port',
      '0',
      '--no-api',
      '--base-url',
      sandbox.baseUrl,
      '--api-key-env',
      'BENCH_KEY',
      '--data-dir',
      temporaryFolder(),
    ],
    { BENCH_KEY: sandbox.apiKey },
  )
  const browser = await chromium.launch({ executablePath: await findBrowser(), args: chromiumArgs })
  const shown = []
  const closed = []
  try {
    const page = await browser.newPage()
    await page.goto(host.ready.web.url)
    for (let round = 0; round < rounds; round += 1) {
      await page.getByRole('textbox', { name: 'Message' }).fill('Write at length, please.')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.locator('article[data-status="streaming"]').waitFor()
      await page.evaluate(watchForStop)
      await page.keyboard.press('Escape')
      const { pressedAt, shownAt } = await page.evaluate(() => window.stopSeen)
      const { id } = sandbox.observe.requests().findLast((request) => request.stream)
      const { closedByClientAt } = await sandbox.observe.whenClosed(id)
      shown.push(shownAt - pressedAt)
      closed.push(closedByClientAt - pressedAt)
      await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
    }
  } finally {
    await browser.close()
    await host.stop()
    await sandbox.close()
  }
  const words = (values) => `p50 ${quantile(values, 0.5).toFixed(1)} ms, worst ${Math.max(...values).toFixed(1)} ms`
  report('Stop: the page answers', words(shown), Math.max(...shown) <= 50, '<= 50 ms')
  report('Stop: upstream closed', words(closed), Math.max(...closed) <= 50, '<= 50 ms')
}
