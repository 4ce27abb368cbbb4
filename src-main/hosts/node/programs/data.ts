import { type Command, InvalidArgumentError, Option } from 'commander'
import { dataFolder, json, nonEmpty, path, time } from '../arguments.ts'
import { withExamples } from '../commandTable.ts'
import type { Parts } from '../dependencies.ts'
import { timeForms } from '../times.ts'

/** Adds `backup`, `export`, `import`, `sync`, `erase` and `restore`. Their code is loaded when one of them runs. */
export function describeData(program: Command, parts: Parts, ended: (code: number) => void): void {
  const command = (name: string, about: string, examples: readonly string[]): Command =>
    withExamples(program.command(name).description(about), examples)

  const backup = command(
    'backup',
    'Back up the data folder to one tar file, also while the studio runs. API keys are not included.',
    [
      'inference-studio backup studio.tar.zst',
      'inference-studio backup - | gzip > studio.tar.gz',
      'inference-studio backup --to backups --keep daily=7,weekly=4',
    ],
  )
    .argument(
      '[file]',
      'tar file to write, compressed if it ends with .gz or .zst; - is standard output (default: inference-studio-DATE.tar)',
      path,
    )
    .option('--force', 'overwrite an existing file', false)
    .option('--to <folder>', 'write a compressed backup, named by its time, to this existing folder', path)
    .option(
      '--keep <rule>',
      'then delete the older backups of this computer in that folder, except the newest of so many periods: last, daily, weekly, monthly, yearly',
      nonEmpty,
    )
    .addOption(dataFolder())
    .addOption(json())
    .action(async (file, options) => ended(await (await import('../commands/backup.ts')).backup(file, options, parts)))
  withExamples(
    backup
      .command('verify')
      .description(
        'Check that a backup is complete and can be restored. Changes no data, and needs space for its databases.',
      ),
    ['inference-studio backup verify studio.tar.zst'],
  )
    .argument('<file>', 'tar file written by "backup", plain or compressed with gzip or zstd', path)
    .addOption(json())
    .action(async (file, _, self) =>
      ended(await (await import('../commands/backup.ts')).verifyBackup(file, self.optsWithGlobals(), parts)),
    )

  command('export', 'Export chats, media, the request log or usage to open formats, without a network', [
    'inference-studio export --output my-data',
    'inference-studio export --what requests --since 2026-11 --output requests.csv',
  ])
    .addOption(
      new Option('--what <what>', 'data to export; media and all write a folder')
        .choices(['chats', 'media', 'requests', 'usage', 'all'])
        .default('all'),
    )
    .addOption(
      new Option(
        '--format <format>',
        'chats: zip (default) or markdown; requests and usage: csv (default), json or parquet. JSON is an array in a file named .json, and one document per line elsewhere',
      ).choices(['zip', 'markdown', 'csv', 'json', 'parquet']),
    )
    .option('--output <path>', 'write to this file (folder for media and all); - is standard output (default)', path)
    .option('--since <time>', `first day (UTC): ${timeForms} (default: all)`, time)
    .option('--until <time>', 'last day (UTC), included; of a month, its last day (default: all)', time)
    .option('--force', 'overwrite an existing file', false)
    .option('--account <name or id>', 'requests and usage of this account only', nonEmpty)
    .addOption(dataFolder())
    .addOption(
      new Option('--json', 'print what was written as one JSON document, or requests and usage as lines').default(
        false,
      ),
    )
    .action(async (options) => ended(await (await import('../commands/export.ts')).exportData(options, parts)))

  command(
    'import',
    'Import chats from a file of Inference Studio or an export of ChatGPT. What can’t be read is left out and listed.',
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

  command('erase', 'Delete old data permanently, after showing how much. Daily usage totals stay.', [
    'inference-studio erase --what bodies,log --older-than 90',
  ])
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

  command(
    'restore',
    'Replace the data folder with a backup. The replaced data is moved to the folder "replaced" in the data folder.',
    ['inference-studio restore studio.tar.zst --yes', 'inference-studio restore - --yes < studio.tar.gz'],
  )
    .argument(
      '<file>',
      'tar file written by "backup", plain or compressed with gzip or zstd; - is standard input',
      path,
    )
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
