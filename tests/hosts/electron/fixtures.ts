import { rmSync } from 'node:fs'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { connectTo } from '../../e2e/journey.ts'
import { closeDesktops, type Desktop, launchDesktop } from '../../helpers/electron/launch.ts'
import type { Modes } from '../../helpers/electron/modes.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const folders: string[] = []
const sandboxes: Sandbox[] = []

export function newDataDir(): string {
  const folder = temporaryFolder('studio-desktop-')
  folders.push(folder)
  return folder
}

/** The desktop on a new data folder, connected to a new sandbox. `tidy` closes both. Only the stand-in has `modes`. */
export async function launchConnected(
  options: SandboxOptions = {},
  modes: Modes = {},
): Promise<{ sandbox: Sandbox; dataDir: string; desktop: Desktop }> {
  const sandbox = await startSandbox(options)
  sandboxes.push(sandbox)
  const dataDir = newDataDir()
  const desktop = await launchDesktop(dataDir, modes)
  await connectTo(desktop.page, sandbox.baseUrl, sandbox.apiKey)
  return { sandbox, dataDir, desktop }
}

/** Stops the processes of a test, then its sandboxes, and deletes its folders. */
export async function tidy(): Promise<void> {
  await closeDesktops()
  for (const sandbox of sandboxes.splice(0)) await sandbox.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Replaces the default browser by a list, which `openedOutside` reads. */
export async function watchOutside({ evaluate }: Desktop): Promise<void> {
  await evaluate(({ shell }) => {
    const opened: string[] = []
    Object.assign(globalThis, { openedOutside: opened })
    shell.openExternal = async (url) => {
      opened.push(url)
    }
  })
}

/** Addresses opened in the default browser since the last call. */
export const openedOutside = ({ evaluate }: Desktop): Promise<string[]> =>
  evaluate(() => (globalThis as unknown as { openedOutside: string[] }).openedOutside.splice(0))
