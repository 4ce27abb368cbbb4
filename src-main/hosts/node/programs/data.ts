import { type Command, InvalidArgumentError, Option } from 'commander'
import { dataFolder, day, json, nonEmpty, path } from '../arguments.ts'
import type { Parts } from '../dependencies.ts'

/** The commands about the data folder as a whole; what they do is loaded when one runs. */
export function describeData(program: Command, parts: Parts, ended: (code: number) => void): void {
  program
    .command('backup')
    .description('everything in one file, also while the studio runs; without keys, a network or a keychain')
    .argument('[file]', 'a tar file, or - for standard output (usual: inference-studio-DATE.tar here)', path)
    .option('--force', 'write over a file that is there', false)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (file, options) => ended(await (await import('../commands/backup.ts')).backup(file, options, parts)))

  program
    .command('export')
    .description(
      'chats, media, the log of requests and the books in open formats; without a network, a keychain or a running studio',
    )
    .addOption(
      new Option(
        '--what <what>',
        'what is written; media (speech, recordings, transcripts, images) and all of it make a folder',
      )
        .choices(['chats', 'media', 'requests', 'usage', 'all'])
        .default('all'),
    )
    .addOption(
      new Option(
        '--format <how>',
        'chats: zip (usual), markdown; requests and usage: csv (usual), json (of requests a document a line), parquet',
      ).choices(['zip', 'markdown', 'csv', 'json', 'parquet']),
    )
    .option('--output <file>', 'into this file, or - for standard output (usual); of media and all a folder', path)
    .option('--since <day>', 'from this day on (UTC), such as 2026-11-01', day)
    .option('--until <day>', 'up to and with this day (UTC)', day)
    .option('--account <name or id>', 'requests and usage of this account', nonEmpty)
    .addOption(dataFolder())
    .action(async (options) => ended(await (await import('../commands/export.ts')).exportData(options, parts)))

  program
    .command('erase')
    .description(
      'erases by age, for good, where no studio runs; counted first. Sums by day stay, so that usage is whole',
    )
    .requiredOption(
      '--what <things>',
      'conversations, bodies, log, alerts, speech, recordings, images; with commas between',
      nonEmpty,
    )
    .requiredOption('--older-than <days>', 'what is older than so many days', days)
    .option('--archived-only', 'of conversations, those in the archive alone', false)
    .option('--yes', 'without asking', false)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (options, command) => {
      const { erase, readWhat } = await import('../commands/erase.ts')
      try {
        readWhat(options.what)
      } catch (thrown) {
        command.error(`error: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
      }
      ended(await erase({ ...options, what: readWhat(options.what) }, parts))
    })

  program
    .command('restore')
    .description('puts a backup in the place of everything; what was there is kept beside it')
    .argument('<file>', 'a file of `backup`', path)
    .option('--yes', 'without asking', false)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (file, options) =>
      ended(await (await import('../commands/restore.ts')).restore(file, options, parts)),
    )
}

function days(text: string): number {
  const number = /^\d{1,5}d?$/.test(text) ? Number.parseInt(text, 10) : Number.NaN
  if (!(number <= 36_500)) throw new InvalidArgumentError('A number of days, such as 90.')
  return number
}
