// A sound of 60 minutes drawn as a waveform, and the first sound of what comes, in a real Chromium: sound.ts does the work.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { node24 } from '../../resources/scripts/ready.mjs'

const run = promisify(execFile)

export async function soundBench(report, { quick = false } = {}) {
  const script = fileURLToPath(new URL('sound.ts', import.meta.url))
  const minutes = quick ? 5 : 60
  const { stdout } = await run(node24(), [script, String(minutes)], { maxBuffer: 1e8 })
  const { drawn, live } = JSON.parse(stdout)
  for (const { kind, megabytes, first, whole, longest, again } of drawn) {
    const of = `waveform of ${minutes} min, ${kind} (${megabytes} MB)`
    report(`${of}: drawn`, `${first} ms, exact after ${whole} ms`, first <= 1000, '<= 1 s')
    report(
      `${of}: longest task of the page`,
      longest === 0 ? 'none of 50 ms' : `${longest} ms`,
      longest <= 50,
      '<= 50 ms',
    )
    report(`${of}: opened again`, `${again} ms`, again <= 1000, '<= 1 s')
  }
  for (const { kind, ms } of live)
    report(`first sound after the first bytes, ${kind}`, `${ms} ms`, ms <= 300, '<= 300 ms')
}
