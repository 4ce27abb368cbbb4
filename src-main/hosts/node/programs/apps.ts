import { type Command, Option } from 'commander'
import { help, t } from '../../../../src-renderer/i18n/cli.ts'
import type { StudioError } from '../../../core/errors.ts'
import { dataFolder, json, nonEmpty, port, shortName } from '../arguments.ts'
import { withExamples } from '../commandTable.ts'
import type { Parts } from '../dependencies.ts'
import { wordsOf } from '../ownWords.ts'

/** Values of `--grace`, hours. */
const graces = { none: 0, '1h': 1, '24h': 24 } as const

/** The port for programs, where the running studio has another one than the settings. */
const apiPort = (): Option => new Option('--api-port <n>', help('apps.apiPort')).argParser(port)

/** Adds `apps` and its commands. Their code is loaded when one of them runs. */
export function describeApps(program: Command, parts: Parts, ended: (code: number) => void): void {
  const apps = program.command('apps').description(help('apps.about'))
  const load = () => import('../commands/apps.ts')
  const command = (name: string, about: string): Command =>
    apps.command(name).description(about).addOption(dataFolder()).addOption(json())
  const which = help('apps.app')

  withExamples(withSettings(command('add', help('apps.add'))), [
    'inference-studio apps add editor',
    'inference-studio apps add editor --ensure',
    'inference-studio apps add ci --budget-month 5 --models glm-4.6 --expires +30d',
  ])
    .argument('<name>', help('apps.name'), shortName)
    .option('--ensure', help('apps.ensure'), false)
    .action(async (name, options, self) => {
      const settings = await readSettings(self, options)
      ended(await (await load()).addAppCommand({ ...settings, name }, options, parts))
    })
  withExamples(withSettings(command('set', help('apps.set'))), [
    'inference-studio apps set editor --rpm 60 --budget-day none',
    "inference-studio apps set claude --map '*-haiku-*=glm-4.5-air' --map 'claude-*=glm-4.6'",
  ])
    .argument('<app>', which, nonEmpty)
    .option('--name <name>', help('apps.newName'), shortName)
    .action(async (id, options, self) => {
      const changes = await readSettings(self, options)
      if (Object.values(changes).every((value) => value === undefined)) {
        self.error(`error: ${t('usage.noSetting')}`)
      }
      ended(await (await load()).setApp(id, changes, options, parts))
    })
  for (const [name, about] of [
    ['pause', help('apps.pause')],
    ['resume', help('apps.resume')],
  ] as const)
    withExamples(command(name, about), [`inference-studio apps ${name} editor`, `inference-studio apps ${name} --all`])
      .argument('[app]', which, nonEmpty)
      .option('--all', help('apps.all'), false)
      .action(async (id: string | undefined, options, self) => {
        if ((id === undefined) !== options.all) self.error(`error: ${t('usage.appOrAll')}`)
        ended(await (await load()).pauseApps(id ?? null, name === 'pause', options, parts))
      })
  command('list', help('apps.list')).action(async (options) => ended(await (await load()).listApps(options, parts)))
  command('show', help('apps.show'))
    .argument('<app>', which, nonEmpty)
    .action(async (id, options) => ended(await (await load()).showApp(id, options, parts)))
  withExamples(
    command('rotate', help('apps.rotate')).addOption(
      new Option('--grace <time>', help('apps.grace')).choices(Object.keys(graces)).default('none'),
    ),
    ['inference-studio apps rotate editor', 'inference-studio apps rotate editor --grace 24h'],
  )
    .argument('<app>', which, nonEmpty)
    .action(async (id, options) => {
      const graceHours = graces[options.grace as keyof typeof graces]
      ended(await (await load()).rotateAppKey(id, graceHours, options, parts))
    })
  withExamples(
    command('answer', help('apps.answer'))
      .option('--once', help('apps.once'), false)
      .option('--more <sc>', help('apps.more'), nonEmpty)
      .option('--until-tomorrow', help('apps.untilTomorrow'), false)
      .option('--refuse', help('apps.refuse'), false),
    [
      'inference-studio apps answer',
      'inference-studio apps answer editor --once',
      'inference-studio apps answer editor --more 2.5',
    ],
  )
    .argument('[app]', which, nonEmpty)
    .action(async (id: string | undefined, options, self) => {
      const given = [options.once, options.more !== undefined, options.untilTomorrow, options.refuse].filter(Boolean)
      if (given.length !== (id === undefined ? 0 : 1)) self.error(`error: ${t('usage.answer')}`)
      ended(await (await load()).answerApp(id ?? null, options, parts))
    })
  const connecting = () => import('../commands/connectApps.ts')
  command('programs', help('apps.programs'))
    .addOption(apiPort())
    .action(async (options) => ended(await (await connecting()).listPrograms(options, parts)))
  withExamples(
    command('connect', help('apps.connect'))
      .option('--program <program>', help('apps.program'), nonEmpty)
      .option('--model <id>', help('apps.connectModel'), nonEmpty)
      .option('--tools', help('apps.connectTools'))
      .option('--no-tools', help('apps.connectNoTools'))
      .addOption(apiPort())
      .option('--dry-run', help('apps.dryRun'), false),
    [
      'inference-studio apps connect codex --dry-run',
      'inference-studio apps connect work --program claude-code --model glm-4.6 --tools',
    ],
  )
    .argument('<app>', help('apps.connectApp'), shortName)
    .action(async (id, options) => ended(await (await connecting()).connectApp(id, options, parts)))
  command('disconnect', help('apps.disconnect'))
    .option('--program <program>', help('apps.onlyProgram'), nonEmpty)
    .argument('<app>', which, nonEmpty)
    .action(async (id, options) => ended(await (await connecting()).disconnectApp(id, options, parts)))
  command('revoke', help('apps.revoke'))
    .argument('<app>', which, nonEmpty)
    .action(async (id, options) => ended(await (await load()).revokeAppCommand(id, options, parts)))
}

/** Adds the options for the settings and limits of an app. The value `none` removes a limit. */
function withSettings(command: Command): Command {
  return command
    .option('--colour <colour>', help('apps.colour'))
    .option('--expires <when>', help('apps.expires'))
    .option('--map <pattern=model>', help('apps.map'), (rule: string, before: string[] | undefined) => [
      ...(before ?? []),
      rule,
    ])
    .option('--models <ids>', help('apps.models'))
    .option('--endpoints <names>', help('apps.endpoints'))
    .option('--rpm <n>', help('apps.rpm'))
    .option('--tpm <n>', help('apps.tpm'))
    .option('--concurrent <n>', help('apps.concurrent'))
    .option('--budget-day <sc>', help('apps.budgetDay'))
    .option('--budget-month <sc>', help('apps.budgetMonth'))
    .option('--budget-total <sc>', help('apps.budgetTotal'))
    .option('--log-bodies', help('apps.logBodies'))
    .option('--no-log-bodies', help('apps.noLogBodies'))
    .option('--retries', help('apps.retries'))
    .option('--no-retries', help('apps.noRetries'))
    .option('--fail-fast', help('apps.failFast'))
    .option('--no-fail-fast', help('apps.noFailFast'))
    .option('--adapt', help('apps.adapt'))
    .option('--no-adapt', help('apps.noAdapt'))
    .addOption(new Option('--at-budget <what>', help('apps.atBudget')).choices(['refuse', 'ask']))
    .option('--ask-new-model', help('apps.askNewModel'))
    .option('--no-ask-new-model', help('apps.noAskNewModel'))
    .option('--ask-above <sc>', help('apps.askAbove'))
    .option('--busy-requests <n>', help('apps.busyRequests'))
    .option('--busy-spend <sc>', help('apps.busySpend'))
    .option('--tools', help('apps.tools'))
    .option('--no-tools', help('apps.noTools'))
    .option('--tool-output <folder>', help('apps.toolOutput'))
    .option('--tool-inputs <folder>', help('apps.toolInputs'), (folder: string, before: string[] | undefined) => [
      ...(before ?? []),
      folder,
    ])
}

/** Converts the options to settings. An invalid value ends the command with a usage error. */
async function readSettings(command: Command, options: object) {
  const { readAppOptions } = await import('../commands/appOptions.ts')
  try {
    return readAppOptions(options)
  } catch (thrown) {
    if (isBadInput(thrown)) command.error(`error: ${wordsOf(thrown)}`)
    throw thrown
  }
}

const isBadInput = (thrown: unknown): thrown is StudioError =>
  thrown instanceof Error && 'kind' in thrown && thrown.kind === 'bad_input'
