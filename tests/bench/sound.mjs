// Waveforms of an hour in the built program, and the first sound of speech that is still arriving. Runs sound.ts, which measures.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { node24 } from '../../resources/scripts/ready.mjs'

const run = promisify(execFile)

export async function soundBench(report, { quick = false } = {}) {
  const script = fileURLToPath(new URL('sound.ts', import.meta.url))
  const { stdout } = await run(node24(), [script, quick ? '10' : '60'], { maxBuffer: 1e8 })
  const { minutes, waves, again, first } = JSON.parse(stdout)
  for (const { kind, megabytes, drawn, whole, longest } of waves) {
    const what = `waveform of ${minutes} minutes, ${kind} of ${megabytes} MB`
    report(`${what}: drawn`, `${drawn} ms (exact ${whole} ms)`, drawn <= 1000, '<= 1,000 ms')
    report(`${what}: longest task`, longest === 0 ? 'none over 50 ms' : `${longest} ms`, longest <= 50, '<= 50 ms')
  }
  report('the same once more', `${again} ms`)
  for (const { kind, median, worst } of first) {
    report(`${kind}: first sound after first bytes`, `median ${median}, worst ${worst} ms`, median <= 300, '<= 300 ms')
  }
}
