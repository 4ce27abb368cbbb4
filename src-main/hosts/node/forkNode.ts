import { fork } from 'node:child_process'
import { type ForkProgram, systemEnvironment } from '../../core/shared/processWorker.ts'

/** Starts a process of plain Node that may read files and start threads, but can neither write files nor start programs. */
export const forkNode: ForkProgram = (path, args) => {
  const child = fork(path, args, {
    serialization: 'advanced',
    env: systemEnvironment(),
    execArgv: ['--permission', '--allow-fs-read=*', '--allow-worker'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  return {
    // A message to a process that has just died fails. Its end is reported by `onEnd`.
    postMessage: (message) => void child.send(message as object, () => undefined),
    onMessage: (listener) => void child.on('message', listener),
    onEnd(listener) {
      child.once('error', (error) => listener(error.message))
      child.once('exit', (code, signal) => listener(signal === null ? `code ${code}` : `signal ${signal}`))
    },
    kill: () => void child.kill('SIGKILL'),
    ref() {
      child.ref()
      child.channel?.ref()
    },
    unref() {
      child.unref()
      child.channel?.unref()
    },
  }
}
