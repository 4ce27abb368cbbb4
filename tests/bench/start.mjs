// From process start to the answering address, and from there to a usable page.

import { chromium } from '@playwright/test'
import { serveWithSandbox } from '../../resources/scripts/serveArguments.mjs'
import { chromiumArgs, findBrowser } from '../helpers/browser.mjs'
import { quantile } from './figures.mjs'
import { cli, startJson, temporaryFolder } from './processes.mjs'

const rounds = 7

export async function startBench(report) {
  const times = []
  const pages = []
  const executablePath = await findBrowser()
  const browser = executablePath ? await chromium.launch({ executablePath, args: chromiumArgs }) : null
  for (let round = 0; round < rounds; round += 1) {
    const from = performance.now()
    const host = await startJson(cli, serveWithSandbox(temporaryFolder()))
    await (await fetch(new URL('/', host.ready.web.url))).arrayBuffer()
    times.push(performance.now() - from)
    if (browser) {
      const page = await browser.newPage()
      const opened = performance.now()
      await page.goto(host.ready.web.url)
      await page.getByRole('textbox', { name: 'Message' }).waitFor()
      pages.push(performance.now() - opened)
      await page.close()
    }
    await host.stop()
  }
  await browser?.close()
  const p50 = quantile(times, 0.5)
  report('start: process to address answering, p50', `${p50.toFixed(0)} ms`, p50 <= 700, '<= 700 ms')
  if (pages.length) {
    const page = quantile(pages, 0.5)
    report('start: page to composer, p50', `${page.toFixed(0)} ms`, page <= 1500, '<= 1500 ms')
  }
}
