// The search over 100,000 messages while a person types. search.ts measures it through the handler, and how long it blocks the core's
// thread.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

export async function searchBench(report, { quick = false } = {}) {
  const rows = quick ? 10_000 : 100_000
  const script = fileURLToPath(new URL('search.ts', import.meta.url))
  const { stdout } = await run(process.execPath, [script, String(rows), quick ? '5' : '20'], { maxBuffer: 1e8 })
  const { indexing, searching, figures, bytes, index } = JSON.parse(stdout)
  const count = rows.toLocaleString('en')
  report(`search: indexing ${count} messages`, `${indexing.rate.toFixed(0)} a second`)
  report(
    'search: longest slice of indexing',
    `${indexing.sliceWorst.toFixed(1)} ms of CPU`,
    indexing.sliceWorst <= 20,
    '<= 20 ms',
  )
  report('search: index beside the messages', `${(index / 1e6).toFixed(0)} MB beside ${(bytes / 1e6).toFixed(0)} MB`)
  for (const [kind, { p50, p95, worst }] of Object.entries(figures)) {
    const said = [p50, p95, worst].map((ms) => ms.toFixed(1)).join(', ')
    report(`search: ${kind}; p50, p95, worst`, `${said} ms`, p95 <= 50, 'p95 <= 50 ms')
  }
  report(
    'search: turns of the core’s loop during the searches, p99, worst',
    `${searching.lagP99.toFixed(1)}, ${searching.lagWorst.toFixed(1)} ms`,
  )
}
