import { type Command, InvalidArgumentError, Option } from 'commander'
import { dataFolder, json, nonEmpty, path, time } from '../arguments.ts'
import { withExamples } from '../commandTable.ts'
import type { Parts } from '../dependencies.ts'
import { timeForms } from '../times.ts'

/** Adds `usage`, `limits` and `keys`. Their code is loaded when one of them runs. */
export function describeUsage(program: Command, parts: Parts, ended: (code: number) => void): void {
  const command = (name: string, about: string): Command =>
    program
      .command(name)
      .description(about)
      .option('--account <name or id>', 'account (default: the one used last)', nonEmpty)
      .addOption(dataFolder())

  withExamples(command('usage', 'Show requests, tokens and cost from stored data, without a network'), [
    'inference-studio usage --by app --since 7d',
    'inference-studio usage --by model --each month --since 2026-11 --output usage.csv',
  ])
    .option('--since <time>', `first day (UTC): ${timeForms} (default: 29 days before the last day)`, time)
    .option('--until <time>', 'last day (UTC), included; of a month, its last day (default: today)', time)
    .addOption(
      new Option('--by <what>', 'group by').choices(['day', 'model', 'app', 'key', 'feature']).default('model'),
    )
    .addOption(
      new Option('--source <source>', "the service's figures, the request log of this computer, or both")
        .choices(['service', 'here', 'both'])
        .default('both'),
    )
    .addOption(
      new Option('--each <interval>', 'one row per interval instead of sums').choices(['day', 'week', 'month']),
    )
    .addOption(
      new Option('--format <format>', 'output format (default: by the name of the file, else table)').choices([
        'table',
        'json',
        'csv',
        'parquet',
      ]),
    )
    .option('--output <file>', 'write to this file; - is standard output (default)', path)
    .option('--force', 'overwrite an existing file', false)
    .addOption(json())
    .action(async (options) => ended(await (await import('../commands/usage.ts')).usage(options, parts)))

  withExamples(command('limits', 'Show the last known limits of the account and recent 429 responses'), [
    'inference-studio limits --history 5',
  ])
    .option('--history <n>', 'number of 429 responses to show, 1 to 500', count, 20)
    .addOption(json())
    .action(async (options) => ended(await (await import('../commands/limits.ts')).limits(options, parts)))

  command('keys', 'List the API keys of the account, as the service last reported them')
    .addOption(json())
    .action(async (options) => ended(await (await import('../commands/keys.ts')).keys(options, parts)))
}

function count(text: string): number {
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (number < 1 || number > 500) throw new InvalidArgumentError('A number from 1 to 500.')
  return number
}
