import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type InstallationCheck, installationCheck } from '../../../src-preload/contract/app.ts'
import { codeOf } from '../../../src-preload/contract/note.ts'
import { words } from './words.ts'

/** The command that checks the installation, of the command line and of the desktop program. */
export const selfCheckCommand = 'self-check'
/** How long the checks may take together unless `--wait` says otherwise, seconds. With the start and the end of the program, a check takes less than 20 seconds. */
export const usualWait = 17
/** The same for the window, in which each result is seen at once: a busy computer should not look like a broken one. */
const windowWait = 60

/**
 * Runs this program once more with `self-check`, and returns each result as it comes. A process of its own, because a broken part could take
 * its process down, and because it must not touch the data folder of this one.
 * @param program the file that starts this program @param args come before the command
 */
export async function* checkInOwnRun(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<InstallationCheck, void, void> {
  // For all temporary files of the process, because it is killed when the page leaves.
  const folder = mkdtempSync(join(tmpdir(), 'inference-studio-check-'))
  const child = spawn(program, [...args, selfCheckCommand, '--json', `--wait=${windowWait}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, TMPDIR: folder, TEMP: folder, TMP: folder },
  })
  const end = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', end)
  // Listened to from the start, because a program that can't be started emits `error` at once.
  const ended = once(child, 'exit').then(
    ([code, by]) => (by === null ? `code ${code}` : `signal ${by}`),
    (error: Error) => error.message,
  )
  let isWhole = false
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { data: result } = installationCheck.safeParse(documentIn(line))
      if (result) yield result
      else isWhole ||= line.startsWith('{"ok":')
    }
    const how = await ended
    if (isWhole || signal.aborted) return
    const [label, detail] = [words('label.run'), words('failed.ended', { how })]
    const action = words('action.ended')
    yield {
      ...{ name: 'run', label: label.text, status: 'failed', detail: detail.text, action: action.text, ms: 0 },
      codes: { label: codeOf(label), detail: codeOf(detail), action: codeOf(action) },
    }
  } finally {
    signal.removeEventListener('abort', end)
    end()
    await ended
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

function documentIn(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // Not from us: a library may print too.
    return null
  }
}
