// Starts a built main bundle with the stand-in in Electron's place: node run.mjs <folder with out/ and package.json>
// A test forks it and speaks with it; without a channel it is a program like Electron's.
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInThisContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { applicationFolder, debuggingEndpoint, electron, start } from './electron.ts'

const standIn = new URL('./electron.ts', import.meta.url).href
registerHooks({
  resolve: (name, context, next) => (name === 'electron' ? { url: standIn, shortCircuit: true } : next(name, context)),
})
// Runs code of a test in this process, like Playwright's ElectronApplication.evaluate.
async function evaluate({ id, code, arg }) {
  try {
    process.send({ id, value: await runInThisContext(`(${code})`)(electron, arg) })
  } catch (thrown) {
    process.send({ id, error: String(thrown?.stack ?? thrown) })
  }
}
process.on('message', (asked) => void evaluate(asked))
process.on('disconnect', () => process.exit(1))
await import(pathToFileURL(join(applicationFolder, 'out', 'main', 'electron.js')).href)
watchStalls()
await start()
process.send?.({ endpoint: debuggingEndpoint() })

/** Reports when this thread runs one task for too long. */
function watchStalls() {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  setInterval(() => Atomics.add(beats, 0, 1), 50).unref()
  const watch = new Worker(new URL('./stallWatch.mjs', import.meta.url), { workerData: beats })
  watch.on('message', (stall) => (process.send ? process.send({ stall }) : process.stderr.write(`${stall}\n`)))
  watch.unref()
}
