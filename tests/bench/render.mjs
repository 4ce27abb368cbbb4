// The page's drawing in a real Chromium, measured from the outside, beside a page that only appends text: render.ts does the work.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { node24 } from '../../resources/scripts/ready.mjs'

/** Seconds a stream; quick is for a look. */
const [seconds, quickSeconds] = [5, 2]

const names = {
  prose: 'prose, from nothing',
  words: 'one unbroken paragraph of 300 kB',
  letters: 'one unbroken word of 300 kB',
  code: 'a code fence of 5,000 lines',
  table: 'a table of 500 rows',
}

export async function renderBench(report, { quick }) {
  const figures = await measure(quick ? quickSeconds : seconds)
  report('open a conversation of 1,000 messages, median', `${figures.openMs} ms`, figures.openMs <= 120, '120 ms')
  for (const [name, words] of Object.entries(names)) {
    const { ours, plain, peer } = figures.streams[name]
    const beside = (figure) =>
      `${ours[figure]} ms (append ${plain[figure]}, react-markdown ${peer?.[figure] ?? 'none'})`
    report(`200 tokens/s, ${words}: frame p95`, beside('frameP95Ms'), ours.frameP95Ms <= 20, '20 ms')
    report(`200 tokens/s, ${words}: longest task`, beside('longestTaskMs'), ours.longestTaskMs <= 50, '50 ms')
  }
  report('key to paint while streaming, p95', `${figures.keyP95Ms} ms`, figures.keyP95Ms <= 16, '16 ms')
  report('heap after 10,000 messages scrolled through', `${figures.heapMb} MB`, figures.heapMb <= 200, '200 MB')
}

function measure(streamSeconds) {
  const script = fileURLToPath(new URL('render.ts', import.meta.url))
  const child = spawn(node24(), [script, String(streamSeconds)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (bytes) => {
    text += bytes
  })
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => {
      if (code === 0) resolve(JSON.parse(text))
      else reject(new Error(`render.ts ended with ${code}.`))
    })
  })
}
