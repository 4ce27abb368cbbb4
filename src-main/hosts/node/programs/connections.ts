import type { Command } from 'commander'
import { dataFolder, json, nonEmpty } from '../arguments.ts'
import { withExamples } from '../commandTable.ts'
import type { Parts } from '../dependencies.ts'

/** Adds `connections` and its commands. Their code is loaded when one of them runs. */
export function describeConnections(program: Command, parts: Parts, ended: (code: number) => void): void {
  const connections = program
    .command('connections')
    .description('List the stored connections, choose the one in use, or delete one')
  const load = () => import('../commands/connections.ts')
  const command = (name: string, about: string, isDefault = false): Command =>
    connections.command(name, { isDefault }).description(about).addOption(dataFolder()).addOption(json())
  const which = 'name of the connection, or its id from "connections list"'

  command('list', 'List all connections; * marks the one in use (default)', true).action(async (options) =>
    ended(await (await load()).listConnections(options, parts)),
  )
  withExamples(command('use', 'Send all new requests to this connection, also in a running studio'), [
    'inference-studio connections use work',
  ])
    .argument('<connection>', which, nonEmpty)
    .action(async (name, options) => ended(await (await load()).useConnection(name, options, parts)))
  command('forget', 'Delete a connection and its API key. Chats and usage stay.')
    .argument('<connection>', which, nonEmpty)
    .action(async (name, options) => ended(await (await load()).forgetConnection(name, options, parts)))
}
