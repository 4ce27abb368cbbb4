// Starts a built main bundle with the stand-in in Electron's place: node run.mjs <folder with out/ and package.json>
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInThisContext } from 'node:vm'
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
await start()
process.send({ endpoint: debuggingEndpoint() })
