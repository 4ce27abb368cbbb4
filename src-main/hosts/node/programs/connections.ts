import type { Command } from 'commander'
import { help } from '../../../../src-renderer/i18n/cli.ts'
import { dataFolder, json, nonEmpty } from '../arguments.ts'
import { withExamples } from '../commandTable.ts'
import type { Parts } from '../dependencies.ts'

/** Adds `connections` and its commands. Their code is loaded when one of them runs. */
export function describeConnections(program: Command, parts: Parts, ended: (code: number) => void): void {
  const connections = program.command('connections').description(help('connections.about'))
  const load = () => import('../commands/connections.ts')
  const command = (name: string, about: string, isDefault = false): Command =>
    connections.command(name, { isDefault }).description(about).addOption(dataFolder()).addOption(json())
  const which = help('connections.connection')

  command('list', help('connections.list'), true).action(async (options) =>
    ended(await (await load()).listConnections(options, parts)),
  )
  withExamples(command('use', help('connections.use')), ['inference-studio connections use work'])
    .argument('<connection>', which, nonEmpty)
    .action(async (name, options) => ended(await (await load()).useConnection(name, options, parts)))
  command('forget', help('connections.forget'))
    .argument('<connection>', which, nonEmpty)
    .action(async (name, options) => ended(await (await load()).forgetConnection(name, options, parts)))
}
