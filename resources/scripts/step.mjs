// `node step.mjs install|build`: runs one step of the preparation while holding the lock. npm and the bundler run in this
// process, so that the lock is held exactly as long as they run, even if the parent process ends.
// Runs on any Node from 20.19 on, with nothing installed: built-in modules only.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { holdLock } from './lock.mjs'
import { forget, installState, isBuilt, isInstalled, npmProgram, remember, root, say, sourceState } from './ready.mjs'

/** Runs the module of a command-line program in this process. */
async function become(program, args) {
  process.argv = [process.execPath, program, ...args]
  await import(pathToFileURL(program).href)
}

const steps = {
  install: {
    purpose: 'installs packages',
    isDone: isInstalled,
    async run() {
      // During this step, and after a kill, nothing may look installed.
      forget('installed')
      const want = installState()
      say('Installing packages (once) …')
      process.on('exit', (code) => {
        if (code === 0) remember('installed', want)
      })
      const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
      const npm = npmProgram()
      if (npm) return become(npm, args)
      const shell = process.platform === 'win32'
      process.exitCode = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2], shell }).status ?? 1
    },
  },
  build: {
    purpose: 'builds',
    isDone: isBuilt,
    run() {
      forget('built')
      const want = sourceState()
      say('Building …')
      process.on('exit', (code) => {
        if (code === 0) remember('built', want)
      })
      return become(join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js'), [
        ...['build', '--logLevel', 'warn'],
      ])
    },
  },
}

const step = steps[process.argv[2]]
await holdLock(root, `${step.purpose} in ${root}`, (holder) => say(`Waiting: ${holder} …`))
// Another process may have done the step during the wait.
if (!step.isDone()) await step.run()
