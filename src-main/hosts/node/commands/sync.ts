import { resolve } from 'node:path'
import { codeOf, textOf } from '../../../../src-preload/contract/note.ts'
import type { SyncReport } from '../../../../src-preload/contract/transfers.ts'
import { showNote, t } from '../../../../src-renderer/i18n/cli.ts'
import type { Parts } from '../dependencies.ts'
import { exitCodes, printJson, say, tell } from '../output.ts'
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
    if (options.json) printJson(documentOf(report))
    else sayReport(report)
    for (const note of report.notes) tell('warn', showNote(note))
    for (const { name, problem } of refused)
      tell('error', t('sync.refused', { name, problem: showNote(problem ?? '') }))
    return report.isComplete ? exitCodes.ok : exitCodes.failed
  })
}

function sayReport({ files, file, written }: SyncReport): void {
  for (const { name, outcome, added, changed, messages } of files) {
    if (outcome === 'merged') {
      const counts = {
        added: t('sync.added', { count: added }),
        changed: t('sync.changed', { count: changed }),
        messages: t('sync.messages', { count: messages }),
      }
      say(t('sync.merged', { name, ...counts }))
    } else if (outcome !== 'refused') say(t('sync.same', { name }))
  }
  say(written ? t('wrote', { path: file }) : t('sync.upToDate', { file }))
}

/** The report for programs: texts in English, and their codes beside them. */
const documentOf = ({ notes, files, ...report }: SyncReport) => ({
  ...report,
  files: files.map(({ problem, ...file }) => ({
    ...file,
    problem: problem === null ? null : textOf(problem),
    problemCode: codeOf(problem),
  })),
  notes: notes.map(textOf),
  noteCodes: notes.map(codeOf),
})
