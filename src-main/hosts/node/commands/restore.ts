import { createInterface } from 'node:readline/promises'
import type { BackupSummary } from '../../../../src-preload/contract/data.ts'
import { StudioError } from '../../../core/errors.ts'
import type { DataFolderContents, Parts } from '../dependencies.ts'
import { openDataDir } from '../folder.ts'
import { exitCodes, printJson, say } from '../output.ts'
import { listenForInterrupt } from '../signals.ts'
import { fileToRead } from '../userFile.ts'
import { countWords } from './backup.ts'

interface RestoreOptions {
  yes: boolean
  dataDir?: string
  json: boolean
}

/** Puts a backup in the place of everything in a data folder that nobody uses. What was there is kept beside it. */
export async function restore(file: string, options: RestoreOptions, parts: Parts): Promise<number> {
  const keep = await parts.openData()
  const path = await fileToRead(file, 'FILE')
  const dataDir = await openDataDir(options.dataDir)
  const interrupt = listenForInterrupt()
  try {
    const agree = (backup: BackupSummary, now: DataFolderContents | null): Promise<boolean> =>
      options.yes ? Promise.resolve(true) : interrupt.or(ask(dataDir, backup, now))
    const restored = await keep.restore({ dataDir, path, signal: interrupt.signal, agree })
    if (restored === null) {
      say('Nothing was changed.')
      return exitCodes.failed
    }
    const { summary, keptAt } = restored
    if (options.json) printJson({ dataDir, keptAt, ...summary })
    else {
      say(`${dataDir} is as it was on ${summary.madeAt}: ${countWords(summary.counts)}.`)
      if (keptAt !== null) say(`What was there until now is kept in ${keptAt}.`)
      say('Keys are in no backup: where this machine has none of a connection, `login` gives it again.')
    }
    return exitCodes.ok
  } finally {
    interrupt.release()
  }
}

/** @throws StudioError `bad_input` where nobody can be asked */
async function ask(dataDir: string, backup: BackupSummary, now: DataFolderContents | null): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    const words = `The backup is good (${backup.madeAt}: ${countWords(backup.counts)}). Say --yes to put it in the place of everything in ${dataDir}.`
    throw new StudioError('bad_input', words)
  }
  say(
    `The backup is good: of ${backup.madeAt}, ${countWords(backup.counts)}.`,
    `It takes the place of everything in ${dataDir}: ${now ? countWords(now.counts) : 'what can’t be read there now'}.`,
    'What is there now is kept beside it.',
  )
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await terminal.question('Go on? (yes/no) ')).trim())
  } finally {
    terminal.close()
  }
}
