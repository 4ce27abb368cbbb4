import { createInterface } from 'node:readline/promises'
import type { BackupSummary, Counts } from '../../../../src-preload/contract/data.ts'
import { StudioError } from '../../../core/errors.ts'
import type { Parts } from '../dependencies.ts'
import { openDataDir } from '../folder.ts'
import { exitCodes, printJson, say } from '../output.ts'
import { listenForInterrupt } from '../signals.ts'
import { fileToRead } from '../userFile.ts'
import { countText } from './backup.ts'

interface RestoreOptions {
  yes: boolean
  dataDir?: string
  json: boolean
}

/** `restore`: replaces the data folder with a backup. The replaced data is moved to a folder beside it. */
export async function restore(file: string, options: RestoreOptions, parts: Parts): Promise<number> {
  const data = await parts.openData()
  const path = await fileToRead(file, 'FILE')
  const dataDir = await openDataDir(options.dataDir)
  const interrupt = listenForInterrupt()
  try {
    const agree = (backup: BackupSummary, now: Contents): Promise<boolean> =>
      options.yes ? Promise.resolve(true) : interrupt.or(ask(dataDir, backup, now))
    const restored = await data.restore({ dataDir, path, signal: interrupt.signal, agree })
    if (restored === null) {
      say('Nothing was changed.')
      return exitCodes.failed
    }
    const { summary, keptAt } = restored
    if (options.json) printJson({ dataDir, keptAt, ...summary })
    else {
      say(`Restored the backup of ${summary.madeAt} to ${dataDir}: ${countText(summary.counts)}.`)
      if (keptAt !== null) say(`The replaced data is in ${keptAt}.`)
      say('Backups contain no API keys. Add missing keys with: inference-studio login')
    }
    return exitCodes.ok
  } finally {
    interrupt.release()
  }
}

/** What a data folder contains, or null when it can't be read. */
type Contents = { counts: Counts; bytes: number } | null

/** Asks for confirmation. @throws StudioError `bad_input` without a terminal */
async function ask(dataDir: string, backup: BackupSummary, now: Contents): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    const words = `The backup is valid (${backup.madeAt}: ${countText(backup.counts)}). Add --yes to replace everything in ${dataDir}.`
    throw new StudioError('bad_input', words)
  }
  say(
    `The backup of ${backup.madeAt} is valid: ${countText(backup.counts)}.`,
    `It replaces everything in ${dataDir}: ${now ? countText(now.counts) : 'data that can’t be read'}.`,
    'The replaced data is moved to a folder beside it.',
  )
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await terminal.question('Restore? (yes/no) ')).trim())
  } finally {
    terminal.close()
  }
}
