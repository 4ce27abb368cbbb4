import { rmSync } from 'node:fs'
import { closeDesktops, type Desktop } from '../../helpers/electron/launch.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const folders: string[] = []

export function newDataDir(): string {
  const folder = temporaryFolder('studio-desktop-')
  folders.push(folder)
  return folder
}

/** Stops the processes of a test and deletes its folders. */
export async function tidy(): Promise<void> {
  await closeDesktops()
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
