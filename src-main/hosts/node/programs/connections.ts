import type { Command } from 'commander'
import { dataFolder, json, nonEmpty } from '../arguments.ts'
import type { Parts } from '../dependencies.ts'

/** The commands about stored connections; what they do is loaded when one runs. */
export function describeConnections(program: Command, parts: Parts, ended: (code: number) => void): void {
  const connections = program.command('connections').description('the stored connections, and which one is used')
  const load = () => import('../commands/connections.ts')
  const command = (name: string, about: string, isDefault = false): Command =>
    connections.command(name, { isDefault }).description(about).addOption(dataFolder()).addOption(json())
  const which = 'the name or id that the list shows'

  command('list', 'all connections, the one in use marked (usual)', true).action(async (options) =>
    ended(await (await load()).listConnections(options, parts)),
  )
  command('use', 'send requests there from now on, also those of a running program')
    .argument('<name>', which, nonEmpty)
    .action(async (name, options) => ended(await (await load()).useConnection(name, options, parts)))
  command('forget', 'forget a connection and its key; conversations and usage stay')
    .argument('<name>', which, nonEmpty)
    .action(async (name, options) => ended(await (await load()).forgetConnection(name, options, parts)))
}
