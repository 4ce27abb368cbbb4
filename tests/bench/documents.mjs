// Documents converted as in the program, on their worker thread, beside pdftotext of poppler-utils.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

export async function documentsBench(report, { quick = false } = {}) {
  const script = fileURLToPath(new URL('documents.ts', import.meta.url))
  const { stdout } = await run(process.execPath, [script, quick ? '1' : '5'], { maxBuffer: 1e8 })
  for (const { name, pages, seconds, peerSeconds, longestMs } of JSON.parse(stdout)) {
    const speed = `${seconds.toFixed(2)} s, ${(pages / seconds).toFixed(0)} pages/s`
    const peer = peerSeconds === null ? 'pdftotext is not installed' : `pdftotext ${peerSeconds.toFixed(2)} s`
    report(`documents: ${name}`, `${speed}; ${peer}`)
    report(
      `documents: ${name}; longest turn of the core`,
      `${longestMs.toFixed(1)} ms of CPU`,
      longestMs < 50,
      '< 50 ms',
    )
  }
}
