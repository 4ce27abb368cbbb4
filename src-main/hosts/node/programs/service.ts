import type { Command } from 'commander'
import { json } from '../arguments.ts'
import { withExamples } from '../commandTable.ts'

/** Adds `service` and its commands. Their code is loaded when one of them runs. */
export function describeService(program: Command, ended: (code: number) => void): void {
  const service = program
    .command('service')
    .description('Run "serve" as a service of this user: a systemd unit, a launchd agent or a task of Windows')
  const load = () => import('../commands/service.ts')

  withExamples(service.command('install').description('Write the service, start it, and start it at each login'), [
    'inference-studio service install -- --no-web --api-port 8787',
    'inference-studio service install --print',
  ])
    .argument('[options...]', 'options of "serve", after --')
    .option('--print', 'print the file of the service and change nothing', false)
    .option('--no-start', 'write the file and do not start the service')
    .addOption(json())
    .action(async (given, options) => ended(await (await load()).installService(given, options)))

  service
    .command('uninstall')
    .description('Stop the service and delete its file. Data and keys stay.')
    .addOption(json())
    .action(async (options) => ended(await (await load()).uninstallService(options)))

  service
    .command('status')
    .description('Whether the service is installed and runs. Exits with 1 when it does not run.')
    .addOption(json())
    .action(async (options) => ended(await (await load()).serviceStatus(options)))
}
