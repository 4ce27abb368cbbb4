import { type Command, InvalidArgumentError, Option } from 'commander'
import { dataFolder, day, json, nonEmpty, path, withExamples } from '../arguments.ts'
import type { Parts } from '../dependencies.ts'

/** Adds `backup`, `export`, `import`, `sync`, `erase` and `restore`. Their code is loaded when one of them runs. */
export function describeData(program: Command, parts: Parts, ended: (code: number) => void): void {
  const command = (name: string, about: string, examples: readonly string[]): Command =>
    withExamples(program.command(name).description(about), examples)

  command('backup', 'Back up the data folder to one tar file, also while the studio runs. API keys are not included.', [
    'inference-studio backup',
    'inference-studio backup - | gzip > studio.tar.gz',
  ])
    .argument('[file]', 'tar file to write; - is standard output (default: inference-studio-DATE.tar)', path)
    .option('--force', 'overwrite an existing file', false)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (file, options) => ended(await (await import('../commands/backup.ts')).backup(file, options, parts)))

  command('export', 'Export chats, media, the request log or usage to open formats, without a network', [
    'inference-studio export --output my-data',
    'inference-studio export --what requests --since 2026-11-01 --output requests.csv',
  ])
    .addOption(
      new Option('--what <what>', 'data to export; media and all write a folder')
        .choices(['chats', 'media', 'requests', 'usage', 'all'])
        .default('all'),
    )
    .addOption(
      new Option(
        '--format <format>',
        'chats: zip (default) or markdown; requests and usage: csv (default), json or parquet',
      ).choices(['zip', 'markdown', 'csv', 'json', 'parquet']),
    )
    .option('--output <path>', 'write to this file (folder for media and all); - is standard output (default)', path)
    .option('--since <day>', 'first day (UTC), such as 2026-11-01 (default: all)', day)
    .option('--until <day>', 'last day (UTC), included (default: all)', day)
    .option('--account <name or id>', 'requests and usage of this account only', nonEmpty)
    .addOption(dataFolder())
    .action(async (options) => ended(await (await import('../commands/export.ts')).exportData(options, parts)))

  command(
    'import',
    'Import chats from a file of Inference Studio or an export of ChatGPT. What can’t be read is left out and listed. The studio must not be running.',
    ['inference-studio import chatgpt-export.zip'],
  )
    .argument('<file>', 'ZIP or JSON file', path)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (file, options) =>
      ended(await (await import('../commands/import.ts')).importChats(file, options, parts)),
    )

  command(
    'sync',
    'Sync the chats of several computers through a folder that a sync tool copies. Merges the files of the other computers, then writes the file of this computer.',
    ['inference-studio sync ~/Dropbox/studio'],
  )
    .argument('<folder>', 'existing folder', path)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (folder, options) => ended(await (await import('../commands/sync.ts')).sync(folder, options, parts)))

  command(
    'erase',
    'Delete old data permanently, after showing how much. The studio must not be running. Daily usage totals stay.',
    ['inference-studio erase --what bodies,log --older-than 90'],
  )
    .requiredOption(
      '--what <names>',
      'separated by commas: conversations, bodies, log, alerts, speech, recordings, images',
      nonEmpty,
    )
    .requiredOption('--older-than <days>', 'age in days', days)
    .option('--archived-only', 'of conversations, only archived ones', false)
    .option('--yes', 'do not ask for confirmation', false)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (options, self) => {
      const { erase, readErasables } = await import('../commands/erase.ts')
      try {
        readErasables(options.what)
      } catch (thrown) {
        self.error(`error: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
      }
      ended(await erase({ ...options, what: readErasables(options.what) }, parts))
    })

  command('restore', 'Replace the data folder with a backup. The replaced data is moved to a folder beside it.', [
    'inference-studio restore inference-studio-2026-11-21.tar',
  ])
    .argument('<file>', 'tar file written by "backup"', path)
    .option('--yes', 'do not ask for confirmation', false)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (file, options) =>
      ended(await (await import('../commands/restore.ts')).restore(file, options, parts)),
    )
}

function days(text: string): number {
  const number = /^\d{1,5}d?$/.test(text) ? Number.parseInt(text, 10) : Number.NaN
  if (!(number <= 36_500)) throw new InvalidArgumentError('A number of days from 0 to 36500, such as 90.')
  return number
}
