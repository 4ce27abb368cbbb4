import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
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
 * @throws StudioError as `claimFolder`
 */
export const openDataDir = async (asked: string | undefined): Promise<string> => claimFolder(asked ?? defaultDataDir())

/**
 * The data folder for a command that only reads, absolute. Nothing is made or changed; it need not be there.
 * @throws StudioError as `inspectFolder`
 */
export function findDataDir(asked: string | undefined): string {
  const folder = asked ?? defaultDataDir()
  inspectFolder(folder)
  return resolve(folder)
}
