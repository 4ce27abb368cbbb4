import { resolve } from 'node:path'
import type { SyncReport } from '../../../../src-preload/contract/transfers.ts'
import { counted } from '../../../core/shared/counted.ts'
import type { Parts } from '../dependencies.ts'
import { exitCodes, log, printJson, say } from '../output.ts'
import { withStudio } from '../studio.ts'

interface SyncOptions {
  dataDir?: string
  json: boolean
}

/**
 * `sync`: merges the files of other computers in a folder, then writes the file of this one. Sends nothing to the service. Exits with a
 * failure when something was not merged; the next sync tries again.
 */
export async function sync(folder: string, options: SyncOptions, parts: Parts): Promise<number> {
  return withStudio(options, parts, async ({ client }, interrupt) => {
    const report = await interrupt.or(client.archive.sync({ folder: resolve(folder) }))
    const refused = report.files.filter(({ outcome }) => outcome === 'refused')
    if (options.json) printJson(report)
    else sayReport(report)
    for (const note of report.notes) log('warn', note)
    for (const { name, problem } of refused)
      log('error', `${name} was not merged: ${problem} It is read again next time.`)
    return report.isComplete ? exitCodes.ok : exitCodes.failed
  })
}

function sayReport({ files, file, written }: SyncReport): void {
  for (const { name, outcome, added, changed, messages } of files) {
    const counts = `${counted(added, 'new chat')}, ${counted(changed, 'changed chat')}, ${counted(messages, 'new message')}`
    if (outcome !== 'refused') say(`${name}: ${outcome === 'merged' ? counts : 'nothing new'}.`)
  }
  say(written ? `Wrote ${file}.` : `${file} is up to date.`)
}
