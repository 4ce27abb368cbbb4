import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { App, CrashReporter } from 'electron'

/** Number of crash dumps that are kept. Each has up to a few megabytes. */
const maxDumps = 10

/** The crash dumps in `folder`, newest first. */
export function crashDumps(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.dmp'))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => ({ path, at: statSync(path).mtimeMs }))
      .sort((a, b) => b.at - a.at)
      .map(({ path }) => path)
  } catch {
    return [] // no crash so far, so no folder
  }
}

/**
 * Writes a dump into `folder` when a process of the program crashes, and deletes all but the ten newest. Dumps never leave this computer:
 * they contain memory, so possibly chats and keys. Call before `ready`, so that every process is covered.
 */
export function startCrashDumps(
  folder: string,
  { app, crashReporter }: { app: Pick<App, 'setPath'>; crashReporter: Pick<CrashReporter, 'start'> },
): void {
  app.setPath('crashDumps', folder)
  crashReporter.start({ uploadToServer: false })
  for (const path of crashDumps(folder).slice(maxDumps)) rmSync(path, { force: true })
}
