// Views of usage over 1,000,000 requests and ten years of daily rows, and the rate at which a million is written.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

export async function usageBench(report, { quick = false } = {}) {
  const rows = quick ? 100_000 : 1_000_000
  const script = fileURLToPath(new URL('usage.ts', import.meta.url))
  const { stdout } = await run(process.execPath, [script, String(rows), quick ? '5' : '20'], { maxBuffer: 1e8 })
  const { migrated, labelled, fetched, days, figures, exported, rate, bytes } = JSON.parse(stdout)
  const count = rows.toLocaleString('en')
  report(`usage: an old log of ${count} requests brought to this version`, `${(migrated / 1000).toFixed(1)} s`)
  report('usage: its rows given to their account', `${labelled.toFixed(0)} ms`)
  report(`usage: ${days} daily fetches kept, 12 models, 5 keys`, `${(fetched / 1000).toFixed(1)} s`)
  for (const [name, { cpu, p50, worst }] of Object.entries(figures)) {
    const said = `${cpu.toFixed(1)} ms of CPU; p50 ${p50.toFixed(1)}, worst ${worst.toFixed(1)} ms`
    report(`usage: ${name}`, said, cpu <= 50, '<= 50 ms')
  }
  report(
    `usage: ${exported.rows.toLocaleString('en')} rows as Parquet`,
    `${exported.ms.toFixed(0)} ms, ${(exported.bytes / 1e6).toFixed(1)} MB`,
  )
  report(
    `usage: ${count} more requests written, 64 at once`,
    `${rate.toFixed(0)} a second; ${(bytes / 1e6).toFixed(0)} MB in all`,
  )
}
