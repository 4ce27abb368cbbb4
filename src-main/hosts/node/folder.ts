import { mkdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileProblem } from './fileProblem.ts'

/** Where a person's data lies when nothing else was asked for; the desktop uses the same one. */
export function defaultDataDir(env: NodeJS.ProcessEnv = process.env, platform = process.platform): string {
  if (env.INFERENCE_STUDIO_DATA_DIR) return resolve(env.INFERENCE_STUDIO_DATA_DIR)
  if (platform === 'win32') return join(env.APPDATA ?? join(homedir(), 'AppData', 'Roaming'), 'Inference Studio')
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Inference Studio')
  // XDG Base Directory Specification: a relative path there is invalid and ignored.
  const base = env.XDG_DATA_HOME?.startsWith('/') ? env.XDG_DATA_HOME : join(homedir(), '.local', 'share')
  return join(base, 'inference-studio')
}

/**
 * The data folder, absolute, made where it is missing for its owner alone (0700).
 * @throws StudioError `bad_input`, `not_writable`, `disk_full` when it can't be made
 */
export async function openDataDir(asked: string | undefined): Promise<string> {
  const folder = asked === undefined ? defaultDataDir() : resolve(asked)
  try {
    await makeFolder(folder)
  } catch (thrown) {
    const failed = `${asked === undefined ? 'The data folder' : '--data-dir:'} ${folder} can’t be used`
    throw thrown instanceof Error ? fileProblem(thrown, failed) : thrown
  }
  return folder
}

/** Step by step: Node's own recursive mkdir never ends where a parent takes no folder but says that it is missing (/proc). */
async function makeFolder(folder: string): Promise<void> {
  const there = await stat(folder).catch(() => null)
  if (there?.isDirectory()) return
  const parent = dirname(folder)
  if (parent !== folder) await makeFolder(parent)
  await mkdir(folder, { mode: 0o700 }).catch((thrown: unknown) => {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown
  })
  // Another process may have made it in between; a file, a device or a link without a target is no folder.
  const made = await stat(folder).catch(() => null)
  if (!made?.isDirectory()) throw new Error(`${folder} is not a folder`)
}
