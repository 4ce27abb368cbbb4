import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { StudioError } from '../../core/errors.ts'

/** ms in which an opener that finds nothing to open with has said so; one that goes on after that is a browser. */
const verdictMs = 1000

/** Whether this machine has a screen that a browser could open on. */
export function hasScreen(env: NodeJS.ProcessEnv = process.env, platform = process.platform): boolean {
  return platform === 'darwin' || platform === 'win32' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

/**
 * Opens an address in the system's browser.
 * @throws StudioError `bad_input` for anything but http, https and mailto; `not_found` where nothing can open it
 */
export async function openInBrowser(address: string): Promise<void> {
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || !['http:', 'https:', 'mailto:'].includes(url.protocol)) {
    throw new StudioError('bad_input', 'Only http, https and mailto addresses are opened.')
  }
  if (!hasScreen()) throw new StudioError('not_found', 'There is no screen here to open a browser on.')
  const [command, ...args] = openerOf(process.platform)
  // No shell: the address is one argument, whatever it holds. `href` has quotes and spaces percent-encoded.
  const opener = spawn(command, [...args, url.href], { stdio: 'ignore', detached: true })
  const late = new AbortController()
  try {
    const ended = once(opener, 'exit', { signal: late.signal }).then(([code]) => code !== 0)
    const failed = await Promise.race([ended, sleep(verdictMs, false, { signal: late.signal, ref: false })])
    if (failed) throw new StudioError('not_found', 'No browser was found to open the address with.')
  } catch (thrown) {
    if (thrown instanceof StudioError) throw thrown
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    throw new StudioError('not_found', `No browser could be opened: ${why}`, {}, { cause: thrown })
  } finally {
    late.abort()
    opener.unref()
  }
}

/** On Windows not `start`, which needs cmd.exe and its own reading of `&`. */
export function openerOf(platform: NodeJS.Platform): [string, ...string[]] {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32.exe', 'url.dll,FileProtocolHandler']
  return ['xdg-open']
}
