import { type Command, InvalidArgumentError, Option } from 'commander'
import { help, t } from '../../../../src-renderer/i18n/cli.ts'
import { dataFolder, json, nonEmpty, path, time } from '../arguments.ts'
import { withExamples } from '../commandTable.ts'
import type { Parts } from '../dependencies.ts'

/** Adds `usage`, `limits` and `keys`. Their code is loaded when one of them runs. */
export function describeUsage(program: Command, parts: Parts, ended: (code: number) => void): void {
  const command = (name: string, about: string): Command =>
    program
      .command(name)
      .description(about)
      .option('--account <name or id>', help('usage.account'), nonEmpty)
      .addOption(dataFolder())

  withExamples(command('usage', help('usage.about')), [
    'inference-studio usage --by app --since 7d',
    'inference-studio usage --by model --each month --since 2026-11 --output usage.csv',
  ])
    .option(
      '--since <time>',
      help('option.firstDay', { forms: help('times'), otherwise: help('usage.daysBefore') }),
      time,
    )
    .option('--until <time>', help('option.lastDay', { otherwise: help('usage.today') }), time)
    .addOption(
      new Option('--by <what>', help('usage.by')).choices(['day', 'model', 'app', 'key', 'feature']).default('model'),
    )
    .addOption(
      new Option('--source <source>', help('usage.source')).choices(['service', 'here', 'both']).default('both'),
    )
    .addOption(new Option('--each <interval>', help('usage.each')).choices(['day', 'week', 'month']))
    .addOption(new Option('--format <format>', help('usage.format')).choices(['table', 'json', 'csv', 'parquet']))
    .option('--output <file>', help('option.output'), path)
    .option('--force', help('option.force'), false)
    .addOption(json())
    .action(async (options) => ended(await (await import('../commands/usage.ts')).usage(options, parts)))

  withExamples(command('limits', help('limits.about')), ['inference-studio limits --history 5'])
    .option('--history <n>', help('limits.history'), count, 20)
    .addOption(json())
    .action(async (options) => ended(await (await import('../commands/limits.ts')).limits(options, parts)))

  command('keys', help('keys.about'))
    .addOption(json())
    .action(async (options) => ended(await (await import('../commands/keys.ts')).keys(options, parts)))
}

function count(text: string): number {
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (number < 1 || number > 500) throw new InvalidArgumentError(t('invalid.number', { from: 1, to: 500 }))
  return number
}
