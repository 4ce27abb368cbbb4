// How smooth the log of 100,000 rows is, with new rows coming in: frame times while it is scrolled by wheel and by jumps.
//   npx vite build --config tests/renderer/harness/vite.config.ts && node tests/renderer/harness/scroll.mjs
import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'

const root = fileURLToPath('file:///work/wt/room/out/harness')
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }
const server = createServer((request, response) => {
  const path = join(root, normalize(new URL(request.url, 'http://x').pathname).replace(/\/$/, '/index.html'))
  if (!path.startsWith(root)) return response.writeHead(404).end()
  response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' })
  createReadStream(path)
    .on('error', () => response.destroy())
    .pipe(response)
})
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium' })
const page = await browser.newPage({ viewport: { width: 1200, height: 800 } })
await page.goto(`http://127.0.0.1:${server.address().port}/?state=connected&rows=100000&live=1#/proxy`)
await page.getByRole('grid', { name: 'Requests' }).waitFor()

/** Work of the page's main thread between one frame and the next, in ms of processor time: a busy machine changes it little. */
function framesOf(trace) {
  const { traceEvents } = JSON.parse(trace.toString())
  const main = traceEvents.find(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
  const own = traceEvents.filter(({ pid, tid }) => pid === main.pid && tid === main.tid).sort((x, y) => x.ts - y.ts)
  const frames = []
  let work = 0
  const tasks = []
  for (const { name, tdur } of own) {
    if (name === 'frame_') {
      frames.push(work / 1_000)
      work = 0
    } else if (name === 'RunTask' || name === 'ThreadControllerImpl::RunTask') {
      work += tdur ?? 0
      tasks.push((tdur ?? 0) / 1_000)
    }
  }
  return { frames: frames.slice(1).sort((x, y) => x - y), longest: Math.max(0, ...tasks) }
}

const measure = async (name, act) => {
  await browser.startTracing(page, {
    categories: ['toplevel', 'devtools.timeline', 'blink.user_timing'],
  })
  await page.evaluate(() => {
    window.frames_ = []
    let before = performance.now()
    window.on_ = true
    const look = (now) => {
      window.frames_.push(now - before)
      before = now
      performance.mark('frame_')
      if (window.on_) requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
  await act()
  const wall = await page.evaluate(() => {
    window.on_ = false
    return window.frames_.slice(1).sort((x, y) => x - y)
  })
  const { frames, longest } = framesOf(await browser.stopTracing())
  const at = (of, share) => (of[Math.floor(of.length * share)] ?? 0).toFixed(1)
  console.log(
    `${name}: processor time a frame p50 ${at(frames, 0.5)}, p95 ${at(frames, 0.95)}, p99 ${at(frames, 0.99)} ms ` +
      `(${frames.length} frames), longest task ${longest.toFixed(0)} ms; on the clock p50 ${at(wall, 0.5)}, p95 ${at(wall, 0.95)} ms`,
  )
}

const box = page.locator('main > div').last()
await page.mouse.move(500, 600)

const cdp = await page.context().newCDPSession(page)
await cdp.send('Profiler.enable'); await cdp.send('Profiler.start')
for (let turn = 0; turn < 120; turn++) { await page.mouse.wheel(0, 240); await page.waitForTimeout(16) }
const { profile } = await cdp.send('Profiler.stop')
const self = new Map(); const dt = profile.timeDeltas
const byId = new Map(profile.nodes.map(n=>[n.id,n]))
profile.samples.forEach((id,i)=>{ const n=byId.get(id); const k=n.callFrame.functionName+' '+n.callFrame.url.split('/').pop()+':'+n.callFrame.lineNumber+':'+n.callFrame.columnNumber; self.set(k,(self.get(k)||0)+dt[i]/1000)})
console.log([...self].sort((a,b)=>b[1]-a[1]).slice(0,32).map(([k,v])=>v.toFixed(0).padStart(6)+' '+k).join('\n'))
await browser.close(); server.close()
