import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { codeOf, textOf } from '../../../../src-preload/contract/note.ts'
import type { ImportReport } from '../../../../src-preload/contract/transfers.ts'
import { showNote, t } from '../../../../src-renderer/i18n/cli.ts'
import type { Parts } from '../dependencies.ts'
import { exitCodes, printJson, say, tell } from '../output.ts'
import { upload, withStudio } from '../studio.ts'
import { fileToRead } from '../userFile.ts'

interface ImportOptions {
  dataDir?: string
  json: boolean
}

/**
 * `import`: imports chats from a file of this program or of ChatGPT. Sends nothing to the service. Exits with a failure when something was left
 * out; the rest is imported.
 */
export async function importChats(given: string, options: ImportOptions, parts: Parts): Promise<number> {
  const path = await fileToRead(given)
  // Before the program starts: a file that can't be read needs no program, and leaves none running.
  const file = await open(path, 'r')
  try {
    return await importFile(file, basename(path), options, parts)
  } finally {
    await file.close()
  }
}

async function importFile(file: FileHandle, name: string, options: ImportOptions, parts: Parts): Promise<number> {
  return withStudio(options, parts, async (studio, interrupt) => {
    const uploadId = await interrupt.or(upload(studio, file, name))
    const report = await interrupt.or(studio.client.archive.import({ uploadId }))
    const { conversations, messages, pictures, known, notes, leftOut, leftOutMore } = report
    if (options.json) printJson(documentOf(report))
    else {
      say(
        t('import.imported', {
          chats: t('import.chats', { count: conversations }),
          messages: t('import.messages', { count: messages }),
          images: t('import.images', { count: pictures }),
        }),
      )
      if (known > 0) say(t('import.known', { count: known }))
    }
    for (const note of notes) tell('warn', showNote(note))
    for (const { title, reason } of leftOut)
      tell('error', t('import.leftOut', { title: showNote(title), reason: showNote(reason) }))
    if (leftOutMore > 0) tell('error', t('import.leftOutMore', { count: leftOutMore }))
    return leftOut.length === 0 ? exitCodes.ok : exitCodes.failed
  })
}

/** The report for programs: texts in English, and their codes beside them. */
const documentOf = ({ notes, leftOut, ...report }: ImportReport) => ({
  ...report,
  notes: notes.map(textOf),
  noteCodes: notes.map(codeOf),
  leftOut: leftOut.map(({ title, reason }) => ({
    ...{ title: textOf(title), titleCode: codeOf(title) },
    ...{ reason: textOf(reason), reasonCode: codeOf(reason) },
  })),
})
