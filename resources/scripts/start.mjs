// `npm start`: installs and builds if needed, then opens the desktop window, or the web host when a window is impossible.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { findElectron, hasDisplay, noSandbox, runElectron } from './desktop.mjs'
import { buildIfNeeded, installIfNeeded, node24, root, say } from './ready.mjs'

const help = `npm start                    opens the desktop window, or the browser where no window can open
npm start -- --web           opens the browser
npm start -- --no-sandbox    opens the window without Chromium's sandbox, which protects you from hostile content.
                             For containers, and for root. Counts for this start only
npm start -- FILE …          opens files in a new chat of the window

In the browser, all options of "npm run -s studio -- serve --help" work too.
`
const own = process.argv.slice(2)
if (own.includes('--help') || own.includes('-h')) {
  process.stdout.write(help)
  process.exit()
}

installIfNeeded()
buildIfNeeded()

const isWeb = own.includes('--web')
const electron = isWeb ? {} : await findElectron()
if (electron.path && own.includes(noSandbox))
  say(
    "Chromium's sandbox is off for this start: hostile content that breaks out of a page can do all that you can do on this computer.",
  )
const desktop = electron.path ? await runElectron(electron.path, own) : { why: electron.why }
if (desktop.code !== undefined) process.exit(desktop.code)

if (desktop.why) say(`Opening in the browser instead of a desktop window: ${desktop.why}.`)
for (const line of desktop.advice ?? []) say(line)
const args = [
  ...[join(root, 'out', 'main', 'node.js'), 'serve', ...(hasDisplay() ? ['--open'] : [])],
  ...own.filter((one) => one !== '--web' && one !== noSandbox),
]
const child = spawn(node24(), args, { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('error', (error) => {
  say(`Could not start: ${error.message}`)
  process.exit(1)
})
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)))
