import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { StudioError } from '../../core/errors.ts'
import { claimFolder, inspectFolder } from '../../core/store/dataFolder.ts'

/** Where a person's data lies when nothing else was asked for; the desktop uses the same one. */
export function defaultDataDir(env: NodeJS.ProcessEnv = process.env, platform = process.platform): string {
  if (env.INFERENCE_STUDIO_DATA_DIR?.trim()) return resolve(env.INFERENCE_STUDIO_DATA_DIR)
  if (platform === 'win32') return join(env.APPDATA ?? join(homedir(), 'AppData', 'Roaming'), 'Inference Studio')
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Inference Studio')
  // XDG Base Directory Specification: a relative path there is invalid and ignored.
  const base = env.XDG_DATA_HOME?.startsWith('/') ? env.XDG_DATA_HOME : join(homedir(), '.local', 'share')
  return join(base, 'inference-studio')
}

/**
 * The data folder for a command that writes, absolute: made where it is missing, and marked as ours.
 * @throws StudioError as `claimFolder`; the message names the option
 */
export async function openDataDir(asked: string | undefined): Promise<string> {
  return withOption(asked, () => claimFolder(asked ?? defaultDataDir()))
}

/**
 * The data folder for a command that only reads, absolute. Nothing is made or changed; it need not be there.
 * @throws StudioError as `inspectFolder`; the message names the option
 */
export function findDataDir(asked: string | undefined): string {
  const folder = asked ?? defaultDataDir()
  withOption(asked, () => inspectFolder(folder))
  return resolve(folder)
}

/** A person who typed a folder learns which of several arguments was wrong. */
function withOption<T>(asked: string | undefined, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    if (asked === undefined || !(thrown instanceof StudioError)) throw thrown
    const message = `--data-dir: ${thrown.message.replace(/\.?$/, '.')}`
    throw new StudioError(thrown.kind, message, thrown.facts, { cause: thrown })
  }
}
