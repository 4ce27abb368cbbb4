// 10,000 images in the gallery of the built program, scrolled in a real Chromium. Runs gallery.ts, which measures.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { node24 } from '../../resources/scripts/ready.mjs'

const run = promisify(execFile)

export async function galleryBench(report, { quick = false } = {}) {
  const script = fileURLToPath(new URL('gallery.ts', import.meta.url))
  const { stdout } = await run(node24(), [script, quick ? '2000' : '10000'], { maxBuffer: 1e8 })
  const { count, opened, still, calm, fast, jump, inDocument, search } = JSON.parse(stdout)
  const of = `gallery of ${count.toLocaleString('en')}`
  const said = ({ p50, p95, workP95, longestTask }) =>
    `p50 ${p50}, p95 ${p95} ms (still ${still.p95}); CPU p95 ${workP95}, longest task ${longestTask} ms`
  report(`${of}: from another page to the first picture`, `${opened} ms`)
  report(`${of}: scrolled at 1,500 px/s, frames`, said(calm), calm.p95 <= 20, 'p95 <= 20 ms')
  report(`${of}: thrown at 6,000 px/s, frames`, said(fast), fast.p95 <= 20, 'p95 <= 20 ms')
  report(`${of}: to the end and back by key`, said(jump))
  report(`${of}: pictures in the document`, inDocument, inDocument <= 120, '<= 120')
  report(`${of}: search, from key to pictures`, `${search} ms`)
}
