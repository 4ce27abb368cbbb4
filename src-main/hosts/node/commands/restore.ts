import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BackupSummary, Counts } from '../../../../src-preload/contract/data.ts'
import { t } from '../../../../src-renderer/i18n/cli.ts'
import { confirm } from '../confirm.ts'
import type { Parts } from '../dependencies.ts'
import { usageError } from '../failure.ts'
import { openDataDir } from '../folder.ts'
import { exitCodes, printJson, say } from '../output.ts'
import { isPiped } from '../prompt.ts'
import type { Interrupt } from '../signals.ts'
import { fileToRead } from '../userFile.ts'
import { countText, withWork } from './backup.ts'

interface RestoreOptions {
  yes: boolean
  dataDir?: string
  json: boolean
}

/** `restore`: replaces the data folder with a backup. The replaced data is moved to `replaced/` in the folder. */
export async function restore(file: string, options: RestoreOptions, parts: Parts): Promise<number> {
  const data = await parts.openData()
  const isInput = file === '-'
  if (isInput && !isPiped()) throw usageError(t('restore.pipe'))
  // Nobody can answer on a standard input that has the backup.
  if (isInput && !options.yes) throw usageError(t('restore.needsYes'))
  const given = isInput ? null : await fileToRead(file)
  const dataDir = await openDataDir(options.dataDir)
  const restored = await withWork(({ signal, progress, pause }, interrupt) => {
    const agree = (backup: BackupSummary, now: Contents): Promise<boolean> => {
      pause()
      return options.yes ? Promise.resolve(true) : ask({ dataDir, json: options.json }, backup, now, interrupt)
    }
    const restoreFrom = (path: string) => data.restore({ dataDir, path, signal, progress, agree })
    return given === null ? withInput(dataDir, signal, restoreFrom) : restoreFrom(given)
  })
  if (restored === null) {
    say(t('restore.unchanged'))
    return exitCodes.failed
  }
  const { summary, keptAt } = restored
  if (options.json) printJson({ dataDir, keptAt, ...summary })
  else {
    say(t('restore.restored', { at: summary.madeAt, folder: dataDir, contents: countText(summary.counts) }))
    if (keptAt !== null) say(t('restore.replaced', { folder: keptAt }))
    say(t('restore.keys'))
  }
  return exitCodes.ok
}

/** Stores standard input in the folder for temporary files while `use` reads it. */
async function withInput<T>(dataDir: string, signal: AbortSignal, use: (path: string) => Promise<T>): Promise<T> {
  // The next start deletes what a killed process leaves there.
  const path = join(dataDir, 'tmp', `import-${randomUUID()}.tar`)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  try {
    await pipeline(process.stdin, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal })
    return await use(path)
  } catch (thrown) {
    // The stream has an error of its own for this.
    signal.throwIfAborted()
    throw thrown
  } finally {
    await rm(path, { force: true })
  }
}

/** What a data folder contains, or null when it can't be read. */
type Contents = { counts: Counts; bytes: number } | null

function ask(
  { dataDir, json }: { dataDir: string; json: boolean },
  backup: BackupSummary,
  now: Contents,
  interrupt: Interrupt,
): Promise<boolean> {
  const contents = countText(backup.counts)
  return confirm(
    {
      json,
      lines: [
        t('restore.valid', { at: backup.madeAt, contents }),
        now
          ? t('restore.replaces', { folder: dataDir, contents: countText(now.counts) })
          : t('restore.replacesUnread', { folder: dataDir }),
        t('restore.moved', { folder: join(dataDir, 'replaced') }),
      ],
      question: t('restore.question'),
      without: t('restore.noTerminal', { at: backup.madeAt, contents, folder: dataDir }),
    },
    interrupt,
  )
}
