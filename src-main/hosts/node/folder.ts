import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { StudioError } from '../../core/errors.ts'
import { claimFolder, inspectFolder } from '../../core/stored.ts'

/** The default data folder of this user. The desktop host uses the same one. */
export function defaultDataDir(env: NodeJS.ProcessEnv = process.env, platform = process.platform): string {
  if (env.INFERENCE_STUDIO_DATA_DIR?.trim()) return resolve(env.INFERENCE_STUDIO_DATA_DIR)
  if (platform === 'win32') return join(env.APPDATA ?? join(homedir(), 'AppData', 'Roaming'), 'Inference Studio')
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Inference Studio')
  // A relative XDG_DATA_HOME is invalid and ignored (XDG Base Directory Specification).
  const base = env.XDG_DATA_HOME?.startsWith('/') ? env.XDG_DATA_HOME : join(homedir(), '.local', 'share')
  return join(base, 'inference-studio')
}

/**
 * The absolute data folder for a command that writes. Creates it when missing and marks it as a data folder.
 * @throws StudioError as `claimFolder`; the message names the option
 */
export async function openDataDir(asked: string | undefined): Promise<string> {
  return withOption(asked, () => claimFolder(asked ?? defaultDataDir()))
}

/**
 * The absolute data folder for a command that only reads. Creates and changes nothing; the folder may be missing.
 * @throws StudioError as `inspectFolder`; the message names the option
 */
export function findDataDir(asked: string | undefined): string {
  const folder = asked ?? defaultDataDir()
  withOption(asked, () => inspectFolder(folder))
  return resolve(folder)
}

/** Adds `--data-dir` to the message of an error when the option was given. */
function withOption<T>(asked: string | undefined, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    if (asked === undefined || !(thrown instanceof StudioError)) throw thrown
    const message = `--data-dir: ${thrown.message.replace(/\.?$/, '.')}`
    throw new StudioError(thrown.kind, message, thrown.facts, { cause: thrown })
  }
}
