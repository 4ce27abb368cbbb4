import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { t } from '../../../src-renderer/i18n/cli.ts'
import { StudioError } from '../../core/errors.ts'
import { startProblem } from '../../core/shared/startProblem.ts'
import { ownError } from './ownWords.ts'

/** An opener that still runs after this time has started a browser, ms. Failing openers exit sooner. */
const failureWindowMs = 1000

/** Whether this computer has a display for a browser. */
export function hasScreen(env: NodeJS.ProcessEnv = process.env, platform = process.platform): boolean {
  return platform === 'darwin' || platform === 'win32' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

/**
 * Opens an address in the default browser.
 * @throws StudioError `bad_input` for anything but http, https and mailto; `not_found` without a display or browser
 */
export async function openInBrowser(address: string): Promise<void> {
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || !['http:', 'https:', 'mailto:'].includes(url.protocol)) {
    throw ownError('bad_input', t('browser.scheme'))
  }
  if (!hasScreen()) throw ownError('not_found', t('browser.noDisplay'))
  const [command, ...args] = openerOf(process.platform)
  const late = new AbortController()
  let opener: ChildProcess | undefined
  try {
    // Without a shell the address is a single argument. `href` percent-encodes quotes and spaces.
    opener = spawn(command, [...args, url.href], {
      stdio: 'ignore',
      detached: true,
      env: withoutSecretNames(process.env),
    })
    const ended = once(opener, 'exit', { signal: late.signal }).then(([code]) => code !== 0)
    const failed = await Promise.race([ended, sleep(failureWindowMs, false, { signal: late.signal, ref: false })])
    if (failed) throw ownError('not_found', t('browser.none'))
  } catch (thrown) {
    if (thrown instanceof StudioError) throw thrown
    const why = startProblem(thrown, command, { path: process.env.PATH }).message
    throw ownError('not_found', t('browser.failed', { reason: why }), { cause: thrown })
  } finally {
    late.abort()
    opener?.unref()
  }
}

/**
 * Variables with secrets, such as keys of services and headers for OpenTelemetry. A browser needs none of them, and often outlives us. The
 * activation token is no secret: with it, a browser on Wayland comes to the front.
 */
const secretName = /(?<!^XDG_ACTIVATION)_(?:TOKEN|KEY|SECRET|PASSWORD|HEADERS)$/i

const withoutSecretNames = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !secretName.test(name)))

/** The program that opens addresses. On Windows not `start`: it needs cmd.exe, which interprets `&`. */
export function openerOf(platform: NodeJS.Platform): [string, ...string[]] {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32.exe', 'url.dll,FileProtocolHandler']
  return ['xdg-open']
}
