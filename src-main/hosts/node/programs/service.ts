import type { Command } from 'commander'
import { help } from '../../../../src-renderer/i18n/cli.ts'
import { json } from '../arguments.ts'
import { withExamples } from '../commandTable.ts'

/** Adds `service` and its commands. Their code is loaded when one of them runs. */
export function describeService(program: Command, ended: (code: number) => void): void {
  const service = program.command('service').description(help('service.about'))
  const load = () => import('../commands/service.ts')

  withExamples(service.command('install').description(help('service.install')), [
    'inference-studio service install -- --no-web --api-port 8787',
    'inference-studio service install --print',
  ])
    .argument('[options...]', help('service.options'))
    .option('--print', help('service.print'), false)
    .option('--no-start', help('service.noStart'))
    .addOption(json())
    .action(async (given, options) => ended(await (await load()).installService(given, options)))

  service
    .command('uninstall')
    .description(help('service.uninstall'))
    .addOption(json())
    .action(async (options) => ended(await (await load()).uninstallService(options)))

  service
    .command('status')
    .description(help('service.status'))
    .addOption(json())
    .action(async (options) => ended(await (await load()).serviceStatus(options)))
}
