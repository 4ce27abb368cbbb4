// Views of usage over 1,000,000 requests and ten years of daily rows, the rate at which a million is written, and the page drawing ten
// years.
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
  report(`usage: an old log of ${count} requests migrated`, `${(migrated / 1000).toFixed(1)} s`)
  report('usage: its rows assigned to their account', `${labelled.toFixed(0)} ms`)
  report(`usage: ${days} days of 12 models and 5 keys stored`, `${(fetched / 1000).toFixed(1)} s`)
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
  await page(report, rows, quick ? 3 : 9)
}

/**
 * The usage page of the built program in a real Chromium. On a busy machine the bare canvas of the same run is slower too; CPU times change
 * less.
 */
async function page(report, rows, rounds) {
  const script = fileURLToPath(new URL('usage-page.ts', import.meta.url))
  const { stdout } = await run(process.execPath, [script, String(rows), String(rounds)], { maxBuffer: 1e8 })
  const { days, figures, exports, idle, floor } = JSON.parse(stdout)
  const bare = `${days} days x 12 as bare bars`
  report(`usage: ${bare}`, `${floor.ms} ms to painted, ${floor.trace.cpuMs} ms of CPU`)
  for (const [name, { allMs, dataMs, longestTaskMs, held, heldCpu, trace }] of Object.entries(figures)) {
    const from =
      dataMs === null ? `${allMs} ms to painted` : `${dataMs} ms from data to painted, ${allMs} from the wish`
    const said = `${from}; CPU of the page ${trace.cpuMs}, longest task ${longestTaskMs} (CPU ${trace.longestTaskCpuMs}) ms`
    report(`usage, drawn: ${name}`, said, (dataMs ?? allMs) <= 100, '<= 100 ms')
    const late = `${held} ms at worst (idle ${idle}); ${heldCpu} ms of CPU`
    report(`usage, drawn: ${name}, core held`, late, held <= 20, '<= 20 ms')
  }
  for (const [format, { ms, held, cpu }] of Object.entries(exports)) {
    const said = `core held ${held} ms at worst (idle ${idle}), ${cpu} ms of CPU in all; ${ms} ms to the file`
    report(`usage: ten years of days as ${format}`, said, held <= 20, '<= 20 ms')
  }
}
