// `npm run dev`: runs the sources. A change of the page is shown at once, and a change of the main process restarts it. Opens the desktop
// window where it can open, and the browser elsewhere or with `--web`. All other arguments are those of `npm start`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { constants } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findElectron, hasDisplay, whyNotAsRoot } from './desktop.mjs'
import { buildIfNeeded, forget, installIfNeeded, node24, root, say } from './ready.mjs'

installIfNeeded()
// The pages in frames come from this build.
buildIfNeeded()
// Builds for development take its place in out/, so the next start builds again.
forget('built')

const own = process.argv.slice(2).filter((one) => one !== '--web')
const isWeb = own.length < process.argv.length - 2
const refused = whyNotAsRoot()
const electron = isWeb || refused ? { why: refused } : await findElectron()
if (electron.why && !isWeb) say(`Opening in the browser instead of a desktop window: ${electron.why}.`)

/** A port that is free now. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}

const pagePort = await freePort()
const hostPort = electron.path ? '' : await freePort()
const program = electron.path
  ? [electron.path, root, ...own]
  : [node24(), join(root, 'out/main/node.js'), 'serve', '--json', '--web-port', hostPort, ...own]
const vite = [join(root, 'node_modules/electron-vite/bin/electron-vite.js'), 'dev', '--watch', '--clearScreen', 'false']
const child = spawn(node24(), [...vite, '--entry', 'resources/scripts/devHost.mjs', '--', ...program], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  env: {
    ...process.env,
    ELECTRON_EXEC_PATH: node24(),
    INFERENCE_STUDIO_DEV_PAGE_PORT: pagePort,
    INFERENCE_STUDIO_DEV_HOST_PORT: hostPort,
    NO_COLOR: '1',
  },
  // As in runElectron: Ctrl+C reaches the program through its parents.
  detached: process.platform !== 'win32',
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)))

let isOpen = false
for await (const line of createInterface({ input: child.stdout })) {
  const hash = /^\{.*"url":"http:\/\/127\.0\.0\.1:\d+\/(#token=[\w-]+)"/.exec(line)?.[1]
  // The list of hundreds of files would hide the address.
  if (/^out\/.* kB( |$)/.test(line)) continue
  if (hash === undefined) process.stdout.write(`${line}\n`)
  else {
    const url = `http://127.0.0.1:${pagePort}/${hash}`
    process.stdout.write(`Inference Studio: ${url}\n`)
    // Pages that are open get the token of the new start.
    child.send({ hash })
    if (!isOpen && hasDisplay()) openPage(url)
    isOpen = true
  }
}

/** Opens the browser. The address is on its command line, which other users of this computer can read, but only for this development start. */
function openPage(url) {
  const openers = { darwin: ['open'], win32: ['rundll32.exe', 'url.dll,FileProtocolHandler'] }
  const [command, ...args] = openers[process.platform] ?? ['xdg-open']
  spawn(command, [...args, url], { stdio: 'ignore', detached: true })
    .on('error', ({ message }) => say(message))
    .unref()
}
