// `npm run dev` starts this script again after each build of the main process, while the program of the last build may still be closing its
// databases: it waits for the end of that one, then runs the program of its arguments.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { electronEnvironment } from './desktop.mjs'
import { root, say } from './ready.mjs'

const runningFile = join(root, 'node_modules', '.studio-dev')
let isStopped = false
let child = null
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    isStopped = true
    child?.kill(signal)
  })
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const before = existsSync(runningFile) ? Number(readFileSync(runningFile, 'utf8')) : 0
// As long as the program may take to end.
for (let tries = 0; before > 0 && isRunning(before) && tries < 200; tries += 1) await pause(100)
if (isStopped) process.exit()
writeFileSync(runningFile, String(process.pid))

const [program, ...args] = process.argv.slice(2)
child = spawn(program, args, { stdio: 'inherit', env: electronEnvironment() })
child.on('close', (code) => {
  rmSync(runningFile, { force: true })
  if (isStopped || code === 0) process.exit(code ?? 1)
  say(`The program ended with ${code}. The next change starts it again.`)
  setInterval(() => undefined, 2 ** 30)
  process.on('SIGTERM', () => process.exit())
  process.on('SIGINT', () => process.exit())
})
