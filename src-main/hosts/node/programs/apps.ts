import { type Command, Option } from 'commander'
import type { StudioError } from '../../../core/errors.ts'
import { dataFolder, json, nonEmpty, port, shortName } from '../arguments.ts'
import { withExamples } from '../commandTable.ts'
import type { Parts } from '../dependencies.ts'

/** Values of `--grace`, hours. */
const graces = { none: 0, '1h': 1, '24h': 24 } as const

/** The port for programs, where the running studio has another one than the settings. */
const apiPort = (): Option =>
  new Option('--api-port <n>', 'port of the local API (default: that of the settings)').argParser(port)

/** Adds `apps` and its commands. Their code is loaded when one of them runs. */
export function describeApps(program: Command, parts: Parts, ended: (code: number) => void): void {
  const apps = program
    .command('apps')
    .description('Manage the apps that may use the local API. Each app has its own app key, limits and budgets.')
  const load = () => import('../commands/apps.ts')
  const command = (name: string, about: string): Command =>
    apps.command(name).description(about).addOption(dataFolder()).addOption(json())
  const which = 'name of the app, or its id from "apps list"'

  withExamples(withSettings(command('add', 'Add an app and print its app key, which is shown only once')), [
    'inference-studio apps add editor',
    'inference-studio apps add editor --ensure',
    'inference-studio apps add ci --budget-month 5 --models glm-4.6 --expires +30d',
  ])
    .argument('<name>', 'name of the app, at most 80 characters', shortName)
    .option('--ensure', 'if an app has this name already, print it without a key, change nothing and succeed', false)
    .action(async (name, options, self) => {
      const settings = await readSettings(self, options)
      ended(await (await load()).addAppCommand({ ...settings, name }, options, parts))
    })
  withExamples(withSettings(command('set', 'Change the name, limits or budgets of an app, from its next request on')), [
    'inference-studio apps set editor --rpm 60 --budget-day none',
    "inference-studio apps set claude --map '*-haiku-*=glm-4.5-air' --map 'claude-*=glm-4.6'",
  ])
    .argument('<app>', which, nonEmpty)
    .option('--name <name>', 'new name, at most 80 characters', shortName)
    .action(async (id, options, self) => {
      const changes = await readSettings(self, options)
      if (Object.values(changes).every((value) => value === undefined)) {
        self.error('error: Name at least one setting to change.')
      }
      ended(await (await load()).setApp(id, changes, options, parts))
    })
  for (const [name, about] of [
    ['pause', 'Refuse requests of an app until it is resumed, and cancel its running requests'],
    ['resume', 'Accept requests of a paused app again'],
  ] as const)
    withExamples(command(name, about), [`inference-studio apps ${name} editor`, `inference-studio apps ${name} --all`])
      .argument('[app]', which, nonEmpty)
      .option('--all', 'every app that is not revoked', false)
      .action(async (id: string | undefined, options, self) => {
        if ((id === undefined) !== options.all) self.error('error: Name one app, or use --all.')
        ended(await (await load()).pauseApps(id ?? null, name === 'pause', options, parts))
      })
  command('list', 'List all apps, newest first').action(async (options) =>
    ended(await (await load()).listApps(options, parts)),
  )
  command('show', 'Show every setting of an app')
    .argument('<app>', which, nonEmpty)
    .action(async (id, options) => ended(await (await load()).showApp(id, options, parts)))
  withExamples(
    command('rotate', 'Replace the app key and print the new one, which is shown only once').addOption(
      new Option('--grace <time>', 'how long the previous key still works')
        .choices(Object.keys(graces))
        .default('none'),
    ),
    ['inference-studio apps rotate editor', 'inference-studio apps rotate editor --grace 24h'],
  )
    .argument('<app>', which, nonEmpty)
    .action(async (id, options) => {
      const graceHours = graces[options.grace as keyof typeof graces]
      ended(await (await load()).rotateAppKey(id, graceHours, options, parts))
    })
  withExamples(
    command('answer', 'Answer the question of an app whose requests wait, or list the questions')
      .option('--once', 'send the requests that wait now', false)
      .option('--more <sc>', 'also raise the exceeded budgets by this amount until their day or month ends', nonEmpty)
      .option('--until-tomorrow', 'also ask no more for the same reasons until midnight UTC', false)
      .option('--refuse', 'refuse the requests that wait now', false),
    [
      'inference-studio apps answer',
      'inference-studio apps answer editor --once',
      'inference-studio apps answer editor --more 2.5',
    ],
  )
    .argument('[app]', which, nonEmpty)
    .action(async (id: string | undefined, options, self) => {
      const given = [options.once, options.more !== undefined, options.untilTomorrow, options.refuse].filter(Boolean)
      if (given.length !== (id === undefined ? 0 : 1))
        self.error('error: Name an app and one of --once, --more, --until-tomorrow and --refuse, or none of them.')
      ended(await (await load()).answerApp(id ?? null, options, parts))
    })
  const connecting = () => import('../commands/connectApps.ts')
  command('programs', 'List the programs of this computer that can use the local API, and those that are connected')
    .addOption(apiPort())
    .action(async (options) => ended(await (await connecting()).listPrograms(options, parts)))
  withExamples(
    command(
      'connect',
      'Write the address and an app key to the configuration file of a program. Everything else in the file stays',
    )
      .option(
        '--program <program>',
        'the program, by its id from "apps programs" (default: the program with the name of the app)',
        nonEmpty,
      )
      .option('--model <id>', 'model of the service (default: the model of new chats)', nonEmpty)
      .option(
        '--tools',
        'also add speech, images, transcription and documents as tools (MCP), and allow them for the app',
      )
      .option('--no-tools', 'take the tools out again (default: as the program is connected now)')
      .addOption(apiPort())
      .option('--dry-run', 'print the difference of the file, and write nothing', false),
    [
      'inference-studio apps connect codex --dry-run',
      'inference-studio apps connect work --program claude-code --model glm-4.6 --tools',
    ],
  )
    .argument('<app>', 'name of the app, which is added if there is none, or its id', shortName)
    .action(async (id, options) => ended(await (await connecting()).connectApp(id, options, parts)))
  command(
    'disconnect',
    'Take the entries out of the configuration files of an app’s programs, and restore what they replaced',
  )
    .option('--program <program>', 'only this program (default: all of the app)', nonEmpty)
    .argument('<app>', which, nonEmpty)
    .action(async (id, options) => ended(await (await connecting()).disconnectApp(id, options, parts)))
  command('revoke', 'Revoke the app key permanently and cancel the running requests of the app')
    .argument('<app>', which, nonEmpty)
    .action(async (id, options) => ended(await (await load()).revokeAppCommand(id, options, parts)))
}

/** Adds the options for the settings and limits of an app. The value `none` removes a limit. */
function withSettings(command: Command): Command {
  return command
    .option('--colour <colour>', 'blue, teal, violet, amber, rose, green, slate or orange')
    .option('--expires <when>', 'when the app key expires: 2026-12-31T18:00:00Z, +45m, +12h, +30d, +4w or none')
    .option(
      '--map <pattern=model>',
      'use this model of the service for requested names that match the pattern, in which * is any text. Repeat for more rules: the first match applies, and all rules of the app are replaced. none removes them',
      (rule: string, before: string[] | undefined) => [...(before ?? []), rule],
    )
    .option('--models <ids>', 'only these models of the service, as exact ids separated by commas, or none')
    .option(
      '--endpoints <names>',
      'only these endpoints, separated by commas: chat, completions, speech, transcription, images, models, account, files, other; or none',
    )
    .option('--rpm <n>', 'requests per minute, or none')
    .option('--tpm <n>', 'tokens per minute, or none')
    .option('--concurrent <n>', 'requests at the same time, or none')
    .option('--budget-day <sc>', 'budget per day (UTC) in SC, or none')
    .option('--budget-month <sc>', 'budget per month (UTC) in SC, or none')
    .option('--budget-total <sc>', 'total budget in SC, or none')
    .option('--log-bodies', 'store request and response bodies in the request log')
    .option('--no-log-bodies', 'do not store bodies (default)')
    .option('--retries', 'retry failed requests where that is safe (default)')
    .option('--no-retries', 'return every error of the service to the app')
    .option('--fail-fast', 'refuse a request at once instead of queuing it')
    .option('--no-fail-fast', 'queue requests (default)')
    .option('--adapt', 'send a stop text as a list, and max_tokens beside max_completion_tokens (default)')
    .option('--no-adapt', 'send chat requests as they are')
    .addOption(
      new Option('--at-budget <what>', 'at a budget: refuse requests (default), or ask a person').choices([
        'refuse',
        'ask',
      ]),
    )
    .option('--ask-new-model', 'ask a person before the app uses a model for the first time')
    .option('--no-ask-new-model', 'use any allowed model (default)')
    .option('--ask-above <sc>', 'ask a person about each request that may cost more SC than this, or none')
    .option('--busy-requests <n>', 'raise an alert above this number of requests an hour, or none')
    .option('--busy-spend <sc>', 'raise an alert above this spend an hour in SC, or none')
    .option('--tools', 'allow speech, images, transcription and documents as tools (MCP)')
    .option('--no-tools', 'allow no tools (default)')
    .option('--tool-output <folder>', 'folder for the results of tools, or none')
    .option(
      '--tool-inputs <folder>',
      'folder whose files the tools may read. Repeat for more: all folders of the app are replaced. none removes them',
      (folder: string, before: string[] | undefined) => [...(before ?? []), folder],
    )
}

/** Converts the options to settings. An invalid value ends the command with a usage error. */
async function readSettings(command: Command, options: object) {
  const { readAppOptions } = await import('../commands/appOptions.ts')
  try {
    return readAppOptions(options)
  } catch (thrown) {
    if (isBadInput(thrown)) command.error(`error: ${thrown.message}`)
    throw thrown
  }
}

const isBadInput = (thrown: unknown): thrown is StudioError =>
  thrown instanceof Error && 'kind' in thrown && thrown.kind === 'bad_input'
