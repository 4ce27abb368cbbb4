// The page's rendering in a real Chromium, measured from outside and compared with a page that only appends text. Runs render.ts.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { node24 } from '../../resources/scripts/ready.mjs'

/** Seconds per stream. The quick ones give only a rough result. */
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
  const { open, keys } = figures
  const opened = `${open.ms} ms (CPU of the window ${cpu(open.trace)})`
  report('open a conversation of 1,000 messages, median', opened, open.ms <= 120, '120 ms')
  // In this measurement the page contains its core, so the window's figures include the core's work.
  report('the same, core and page on one thread', `${open.harnessMs} ms`, true, 'No limit')
  for (const [name, words] of Object.entries(names)) {
    const { ours, plain, peer } = figures.streams[name]
    const beside = (figure) =>
      `${ours[figure]} ms (append ${plain[figure]}, react-markdown ${peer?.[figure] ?? 'none'})`
    report(`200 tokens/s, ${words}: frame p95`, beside('frameP95Ms'), ours.frameP95Ms <= 20, '20 ms')
    report(`200 tokens/s, ${words}: longest task`, beside('longestTaskMs'), ours.longestTaskMs <= 50, '50 ms')
    const longest = `${beside('longestFrameMs')}, blocking ${ours.blockingMs} ms in all`
    report(`200 tokens/s, ${words}: longest animation frame`, longest, true, 'No limit')
    const each = (page) => (page ? Math.round(page.trace.cpuMs / figures.seconds) : 'none')
    const traced = `${each(ours)} ms a second (append ${each(plain)}, react-markdown ${each(peer)}): ${cpu(ours.trace)}`
    report(`200 tokens/s, ${words}: CPU of the window`, traced, true, 'No limit')
  }
  // A key is painted with the next frame, up to 16.7 ms later on a screen of 60 Hz. The bare field shows how much that is.
  const key = `${keys.ours} ms (a bare textarea ${keys.bare})`
  report(
    'key to paint while streaming, p95',
    key,
    keys.ours <= Math.max(16, keys.bare + 2),
    '16 ms, or a bare textarea + 2 ms',
  )
  report('heap after 10,000 messages scrolled through', `${figures.heapMb} MB`, figures.heapMb <= 200, '200 MB')
}

const cpu = ({ cpuMs, longestTaskCpuMs, scriptMs, styleMs, layoutMs, paintMs }) =>
  `${cpuMs} ms, longest task ${longestTaskCpuMs}; script ${scriptMs}, style ${styleMs}, layout ${layoutMs}, paint ${paintMs}`

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
