import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BackupSummary, Counts, DataWork } from '../../../../src-preload/contract/data.ts'
import { confirm } from '../confirm.ts'
import type { Parts } from '../dependencies.ts'
import { usageError } from '../failure.ts'
import { openDataDir } from '../folder.ts'
import { exitCodes, printJson, say } from '../output.ts'
import { openProgress } from '../progress.ts'
import { isPiped } from '../prompt.ts'
import { type Interrupt, listenForInterrupt } from '../signals.ts'
import { fileToRead } from '../userFile.ts'
import { countText, stages } from './backup.ts'

interface RestoreOptions {
  yes: boolean
  dataDir?: string
  json: boolean
}

/** `restore`: replaces the data folder with a backup. The replaced data is moved to `replaced/` in the folder. */
export async function restore(file: string, options: RestoreOptions, parts: Parts): Promise<number> {
  const data = await parts.openData()
  const isInput = file === '-'
  if (isInput && !isPiped()) throw usageError('Pipe a backup to standard input, or name a file.')
  // Nobody can answer on a standard input that has the backup.
  if (isInput && !options.yes) throw usageError('Add --yes to restore from standard input.')
  const given = isInput ? null : await fileToRead(file)
  const dataDir = await openDataDir(options.dataDir)
  const interrupt = listenForInterrupt()
  const progress = openProgress()
  try {
    const agree = (backup: BackupSummary, now: Contents): Promise<boolean> => {
      progress.end()
      return options.yes ? Promise.resolve(true) : ask(dataDir, backup, now, interrupt)
    }
    const asked = {
      ...{ dataDir, signal: interrupt.signal, agree },
      progress: ({ stage, done, total }: DataWork) => progress.show(stages[stage] ?? 'Restore', done, total),
    }
    const restored =
      given === null
        ? await withInput(dataDir, (path) => data.restore({ ...asked, path }))
        : await data.restore({ ...asked, path: given })
    progress.end()
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
    progress.end()
    interrupt.release()
  }
}

/** Stores standard input in the folder for temporary files while `use` reads it. */
async function withInput<T>(dataDir: string, use: (path: string) => Promise<T>): Promise<T> {
  // The next start deletes what a killed process leaves there.
  const path = join(dataDir, 'tmp', `import-${randomUUID()}.tar`)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  try {
    await pipeline(process.stdin, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    return await use(path)
  } finally {
    await rm(path, { force: true })
  }
}

/** What a data folder contains, or null when it can't be read. */
type Contents = { counts: Counts; bytes: number } | null

function ask(dataDir: string, backup: BackupSummary, now: Contents, interrupt: Interrupt): Promise<boolean> {
  const contents = countText(backup.counts)
  return confirm(
    {
      lines: [
        `The backup of ${backup.madeAt} is valid: ${contents}.`,
        `It replaces everything in ${dataDir}: ${now ? countText(now.counts) : 'data that can’t be read'}.`,
        `The replaced data is moved to ${join(dataDir, 'replaced')}.`,
      ],
      question: 'Restore?',
      without: `The backup is valid (${backup.madeAt}: ${contents}). Add --yes to replace everything in ${dataDir}.`,
    },
    interrupt,
  )
}
