import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Runs a script until it has printed so many lines, then kills it. Returns the complete lines that it printed. */
export async function killedAfter(lines: number, script: URL, args: readonly string[]): Promise<string[]> {
  const child = spawn(process.execPath, [fileURLToPath(script), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  for await (const chunk of child.stdout) {
    printed += String(chunk)
    if (printed.split('\n').length > lines) break
  }
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return printed.split('\n').slice(0, -1)
}
