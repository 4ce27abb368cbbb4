import { type Command, InvalidArgumentError, Option } from 'commander'
import { dataFolder, day, json, nonEmpty, path } from '../arguments.ts'
import type { Parts } from '../dependencies.ts'

/** The commands about what was used, what it cost and what may go on; what they do is loaded when one runs. */
export function describeUsage(program: Command, parts: Parts, ended: (code: number) => void): void {
  const command = (name: string, about: string): Command =>
    program
      .command(name)
      .description(about)
      .option('--account <name or id>', 'which account (usual: the one used last)', nonEmpty)
      .addOption(dataFolder())

  command('usage', 'what was used and what it cost; from what is kept, without a network')
    .option('--since <day>', 'from this day on, such as 2026-11-01 (usual: 30 days in all)', day)
    .option('--until <day>', 'up to and with this day (usual: today, UTC)', day)
    .addOption(
      new Option('--by <what>', 'a row for each').choices(['day', 'model', 'app', 'key', 'feature']).default('model'),
    )
    .addOption(
      new Option('--source <side>', "the service's rows or this machine's log")
        .choices(['service', 'here', 'both'])
        .default('both'),
    )
    .addOption(new Option('--each <span>', 'rows of each span instead of sums').choices(['day', 'week', 'month']))
    .addOption(
      new Option('--format <how>', 'how it is written').choices(['table', 'json', 'csv', 'parquet']).default('table'),
    )
    .option('--output <file>', 'into this file, or - for standard output (usual)', path)
    .action(async (options) => ended(await (await import('../commands/usage.ts')).usage(options, parts)))

  command('limits', 'what the service last said of its limits, and what it answered with 429')
    .option('--history <n>', 'how many of the newest 429s', count, 20)
    .addOption(json())
    .action(async (options) => ended(await (await import('../commands/limits.ts')).limits(options, parts)))

  command('keys', 'the keys of the account, as the service last told of them')
    .addOption(json())
    .action(async (options) => ended(await (await import('../commands/keys.ts')).keys(options, parts)))
}

function count(text: string): number {
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (number < 1 || number > 500) throw new InvalidArgumentError('A number from 1 to 500.')
  return number
}
