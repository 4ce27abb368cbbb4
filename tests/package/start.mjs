// `npm run package:start`: lets the packaged program in dist/ check itself, then does the smoke test with it. The fuses allow no debugger, so
// both look from the outside.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { whyNotAsRoot } from '../../resources/scripts/desktop.mjs'
import { root, say } from '../../resources/scripts/ready.mjs'
import { smokeTest } from '../smoke.mjs'

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
const why = whyNotAsRoot() ?? (program ? null : 'dist/ has no package for this computer: npm run package makes one')
if (why) {
  say(`The packaged program can't be tried: ${why}.`)
  process.exit(2)
}
const checked = spawnSync(program, ['self-check', ...args], {
  stdio: ['ignore', 'inherit', 'inherit'],
  timeout: 60_000,
})
if (checked.status !== 0) {
  say(`The check of the program itself ended with ${checked.status ?? checked.signal ?? checked.error}.`)
  process.exit(1)
}
try {
  await smokeTest('package', program, args)
} catch (thrown) {
  say(thrown.message)
  process.exitCode = 1
}
