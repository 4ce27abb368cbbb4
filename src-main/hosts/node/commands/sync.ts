import { resolve } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { StudioError } from '../../../core/errors.ts'
import type { Parts } from '../dependencies.ts'
import { failureOf } from '../failure.ts'
import { openDataDir } from '../folder.ts'
import { createNodeHost } from '../host.ts'
import { exitCodes, log, printJson, say } from '../output.ts'

interface SyncOptions {
  dataDir?: string
  json: boolean
}

/**
 * `sync`: merges the files of other computers in a folder, then writes the file of this one. Sends nothing to the service. Exits with a
 * failure when something was not merged; the next sync tries again.
 */
export async function sync(folder: string, options: SyncOptions, parts: Parts): Promise<number> {
  const dataDir = await openDataDir(options.dataDir)
  const core = await parts.startCore(createNodeHost(dataDir), { proxyPort: null }).catch((thrown: unknown) => {
    const failure = failureOf(thrown)
    if (failure.kind !== 'folder_in_use') throw thrown
    const words = `${failure.message} While it runs, sync in Settings > Data.`
    throw new StudioError('folder_in_use', words, {}, { cause: thrown })
  })
  try {
    const report = await createRouterClient(core.router).archive.sync({ folder: resolve(folder) })
    const refused = report.files.filter(({ outcome }) => outcome === 'refused')
    if (options.json) printJson(report)
    else {
      for (const { name, outcome, added, changed, messages } of report.files) {
        const counts = `${added} new and ${changed} changed chats, ${messages} new messages`
        if (outcome !== 'refused') say(`${name}: ${outcome === 'merged' ? counts : 'nothing new'}.`)
      }
      say(report.written ? `Wrote ${report.file}.` : `${report.file} is up to date.`)
    }
    for (const note of report.notes) log('warn', note)
    for (const { name, problem } of refused)
      log('error', `${name} was not merged: ${problem} It is read again next time.`)
    return report.isComplete ? exitCodes.ok : exitCodes.failed
  } finally {
    await core.stop()
  }
}
