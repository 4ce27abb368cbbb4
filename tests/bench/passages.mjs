// The search for passages in the files of a project, through its worker thread.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

export async function passagesBench(report, { quick = false } = {}) {
  const script = fileURLToPath(new URL('passages.ts', import.meta.url))
  const { stdout } = await run(process.execPath, [script, quick ? '5' : '50', quick ? '30' : '100'])
  const { megabytes, indexSeconds, p50, p95, worst } = JSON.parse(stdout)
  report(`passages: indexing ${megabytes} MB`, `${indexSeconds.toFixed(1)} s`)
  const said = [p50, p95, worst].map((ms) => ms.toFixed(1)).join(', ')
  report(`passages: search in ${megabytes} MB; p50, p95, worst`, `${said} ms`, p95 <= 100, 'p95 <= 100 ms')
}
