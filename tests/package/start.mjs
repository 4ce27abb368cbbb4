// `npm run package:start`: lets the packaged program in dist/ check itself, starts it on an empty data folder, and waits for its window and its
// local API. Needs a display. The fuses allow no debugger, so this looks from the outside, as a person does.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { root } from '../../resources/scripts/ready.mjs'

/** How long the window and the local API may take, ms. */
const patienceMs = 60_000

/** The program for this system and processor, as electron-builder names its folders. */
function packaged() {
  const dist = join(root, 'dist')
  const folders = existsSync(dist) ? readdirSync(dist) : []
  const suffix = process.arch === 'x64' ? '' : `-${process.arch}`
  const places = {
    linux: [`linux${suffix}-unpacked`, 'inference-studio'],
    win32: [`win${suffix}-unpacked`, 'Inference Studio.exe'],
    darwin: [`mac${suffix}`, 'Inference Studio.app/Contents/MacOS/Inference Studio'],
  }
  const [folder, name] = places[process.platform] ?? []
  return folder && folders.includes(folder) ? join(dist, folder, name) : null
}

const [program = packaged(), ...args] = process.argv.slice(2)
if (!program) {
  console.error('dist/ has no package for this computer: npm run package makes one.')
  process.exit(2)
}

const checked = spawnSync(program, ['self-check', ...args], {
  stdio: ['ignore', 'inherit', 'inherit'],
  timeout: patienceMs,
})
if (checked.status !== 0) {
  console.error(`The check of the program itself ended with ${checked.status ?? checked.signal ?? checked.error}.`)
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), 'studio-start-'))
const mark = join(folder, 'started')
const env = { ...process.env, INFERENCE_STUDIO_DATA_DIR: join(folder, 'data'), INFERENCE_STUDIO_STARTED_FILE: mark }
const child = spawn(program, args, { env, stdio: ['ignore', 'inherit', 'pipe'] })
const ended = once(child, 'exit')
let errors = ''
child.stderr.on('data', (bytes) => {
  errors += bytes
})

async function until(what, isTrue) {
  const end = performance.now() + patienceMs
  while (!(await isTrue())) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The program has ended with ${child.exitCode ?? child.signalCode}.`)
    if (performance.now() > end) throw new Error(`${what} did not come within ${patienceMs / 1000} s.`)
    await pause(200)
  }
  console.log(`${what} is there.`)
}

try {
  await until('The window', () => existsSync(mark))
  // Without an app key, the local API answers 401.
  await until('The local API', () =>
    fetch('http://127.0.0.1:8787/v1/models').then(
      ({ status }) => status === 401,
      () => false,
    ),
  )
  child.kill('SIGTERM')
  const [code, signal] = await ended
  // Windows knows no signals: it ends the program at once.
  if (process.platform !== 'win32' && code !== 0)
    throw new Error(`The program ended with ${code ?? signal} after SIGTERM.`)
  console.log('The packaged program starts and stops.')
} catch (thrown) {
  console.error(`${thrown.message}\n${errors.slice(-4000)}`)
  process.exitCode = 1
  child.kill('SIGKILL')
  await ended
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
