import type { ChildProcess, ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

type ScriptProcess = ChildProcessByStdio<null, Readable, Readable>

/** A script that runs in a process of its own, and what it has written so far. */
export interface RunningScript {
  child: ScriptProcess
  /** Standard output. */
  output(): string
  /** Standard error. */
  errors(): string
  /** Both, in the order of their arrival. */
  all(): string
  /** The exit code, null after a signal. */
  ended: Promise<number | null>
}

/** Collects the output of a script. `running` contains its process until it ends. */
export function follow(child: ScriptProcess, running: Set<ChildProcess>): RunningScript {
  running.add(child)
  let output = ''
  let errors = ''
  let all = ''
  child.stdout.on('data', (bytes) => {
    output += bytes
    all += bytes
  })
  child.stderr.on('data', (bytes) => {
    errors += bytes
    all += bytes
  })
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child)
    return code as number | null
  })
  return { child, output: () => output, errors: () => errors, all: () => all, ended }
}
