import { type Command, InvalidArgumentError, Option } from 'commander'
import { help, t } from '../../../../src-renderer/i18n/cli.ts'
import { asStudioError } from '../../../core/errors.ts'
import { dataFolder, json, nonEmpty, path, time } from '../arguments.ts'
import { withExamples } from '../commandTable.ts'
import type { Parts } from '../dependencies.ts'
import { wordsOf } from '../ownWords.ts'

/** Adds `backup`, `export`, `import`, `sync`, `erase` and `restore`. Their code is loaded when one of them runs. */
export function describeData(program: Command, parts: Parts, ended: (code: number) => void): void {
  const command = (name: string, about: string, examples: readonly string[]): Command =>
    withExamples(program.command(name).description(about), examples)

  const backup = command('backup', help('backup.about'), [
    'inference-studio backup studio.tar.zst',
    'inference-studio backup - | gzip > studio.tar.gz',
    'inference-studio backup --to backups --keep daily=7,weekly=4',
  ])
    .argument('[file]', help('backup.file'), path)
    .option('--force', help('option.force'), false)
    .option('--to <folder>', help('backup.to'), path)
    .option('--keep <rule>', help('backup.keep'), nonEmpty)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (file, options) => ended(await (await import('../commands/backup.ts')).backup(file, options, parts)))
  withExamples(backup.command('verify').description(help('backup.verify')), [
    'inference-studio backup verify studio.tar.zst',
  ])
    .argument('<file>', help('backup.written'), path)
    .addOption(json())
    .action(async (file, _, self) =>
      ended(await (await import('../commands/backup.ts')).verifyBackup(file, self.optsWithGlobals(), parts)),
    )

  command('export', help('export.about'), [
    'inference-studio export --output my-data',
    'inference-studio export --what requests --since 2026-11 --output requests.csv',
  ])
    .addOption(
      new Option('--what <what>', help('export.what'))
        .choices(['chats', 'media', 'requests', 'usage', help('export.all')])
        .default(help('export.all')),
    )
    .addOption(
      new Option('--format <format>', help('export.format')).choices(['zip', 'markdown', 'csv', 'json', 'parquet']),
    )
    .option('--output <path>', help('export.output'), path)
    .option('--since <time>', help('option.firstDay', { forms: help('times'), otherwise: help('export.all') }), time)
    .option('--until <time>', help('option.lastDay', { otherwise: help('export.all') }), time)
    .option('--force', help('option.force'), false)
    .option('--account <name or id>', help('export.account'), nonEmpty)
    .addOption(dataFolder())
    .addOption(new Option('--json', help('export.json')).default(false))
    .action(async (options) => ended(await (await import('../commands/export.ts')).exportData(options, parts)))

  command('import', help('import.about'), ['inference-studio import chatgpt-export.zip'])
    .argument('<file>', help('import.file'), path)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (file, options) =>
      ended(await (await import('../commands/import.ts')).importChats(file, options, parts)),
    )

  command('sync', help('sync.about'), ['inference-studio sync ~/Dropbox/studio'])
    .argument('<folder>', help('sync.folder'), path)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (folder, options) => ended(await (await import('../commands/sync.ts')).sync(folder, options, parts)))

  command('erase', help('erase.about'), ['inference-studio erase --what bodies,log --older-than 90'])
    .requiredOption('--what <names>', help('erase.what'), nonEmpty)
    .requiredOption('--older-than <days>', help('erase.olderThan'), days)
    .option('--archived-only', help('erase.archivedOnly'), false)
    .option('--yes', help('option.yes'), false)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (options, self) => {
      const { erase, readErasables } = await import('../commands/erase.ts')
      try {
        readErasables(options.what)
      } catch (thrown) {
        self.error(`error: ${wordsOf(asStudioError(thrown))}`)
      }
      ended(await erase({ ...options, what: readErasables(options.what) }, parts))
    })

  command('restore', help('restore.about'), [
    'inference-studio restore studio.tar.zst --yes',
    'inference-studio restore - --yes < studio.tar.gz',
  ])
    .argument('<file>', help('restore.file'), path)
    .option('--yes', help('option.yes'), false)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (file, options) =>
      ended(await (await import('../commands/restore.ts')).restore(file, options, parts)),
    )
}

function days(text: string): number {
  const number = /^\d{1,5}d?$/.test(text) ? Number.parseInt(text, 10) : Number.NaN
  if (!(number <= 36_500)) throw new InvalidArgumentError(t('invalid.days'))
  return number
}
