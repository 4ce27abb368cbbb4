import type { Command } from 'commander'
import type { StudioError } from '../../../core/errors.ts'
import { dataFolder, json, nonEmpty, shortName } from '../arguments.ts'
import type { Parts } from '../dependencies.ts'

/** The commands about tools' keys; what they do is loaded when one runs. */
export function describeApps(program: Command, parts: Parts, ended: (code: number) => void): void {
  const tools = program.command('tools').description('keys of the tools that may use the local /v1')
  const load = () => import('../commands/apps.ts')
  const command = (name: string, about: string): Command =>
    tools.command(name).description(about).addOption(dataFolder()).addOption(json())
  const which = 'the id that tools list shows, or a name that one tool alone has'

  withSettings(command('add', 'make a key; it is shown once'))
    .argument('<name>', 'what the tool is called', shortName)
    .action(async (name, options, self) => {
      const settings = await readUsage(self, options)
      ended(await (await load()).addAppCommand({ ...settings, name }, options, parts))
    })
  withSettings(command('set', 'change what a key may do; it holds from the next request on'))
    .argument('<tool>', which, nonEmpty)
    .option('--name <name>', 'what the tool is called', shortName)
    .action(async (id, options, self) => {
      const changes = await readUsage(self, options)
      if (Object.values(changes).every((value) => value === undefined)) self.error('error: Say what to change.')
      ended(await (await load()).setApp(id, changes, options, parts))
    })
  for (const [name, about] of [
    ['pause', 'refuse a key until it is resumed, and cut what runs with it'],
    ['resume', 'let a paused key in again'],
  ] as const)
    command(name, about)
      .argument('[tool]', which, nonEmpty)
      .option('--all', 'every key that is not revoked', false)
      .action(async (id: string | undefined, options, self) => {
        if ((id === undefined) !== options.all) self.error('error: Name one tool, or say --all.')
        ended(await (await load()).pauseApps(id ?? null, name === 'pause', options, parts))
      })
  command('list', 'all keys, newest first').action(async (options) =>
    ended(await (await load()).listApps(options, parts)),
  )
  command('show', 'everything about one key')
    .argument('<tool>', which, nonEmpty)
    .action(async (id, options) => ended(await (await load()).showApp(id, options, parts)))
  command('revoke', 'end a key for good, at once')
    .argument('<tool>', which, nonEmpty)
    .action(async (id, options) => ended(await (await load()).revokeAppCommand(id, options, parts)))
}

/** What a key may do. `none` clears a limit. */
function withSettings(command: Command): Command {
  return command
    .option('--colour <colour>', 'blue, teal, violet, amber, rose, green, slate or orange')
    .option('--expires <when>', 'from then on it is refused: 2026-12-31T18:00:00Z, +30d, +12h, +45m or none')
    .option('--models <ids>', 'exact ids of the only models it may name, with commas between, or none')
    .option(
      '--endpoints <names>',
      'chat, completions, speech, transcription, images, models, account, files, other; or none',
    )
    .option('--rpm <n>', 'requests a minute, or none')
    .option('--tpm <n>', 'tokens a minute, or none')
    .option('--concurrent <n>', 'requests at once, or none')
    .option('--budget-day <sc>', 'SC a day (UTC), or none')
    .option('--budget-month <sc>', 'SC a month (UTC), or none')
    .option('--budget-total <sc>', 'SC in all, or none')
    .option('--log-bodies', 'keep requests and replies for the log')
    .option('--no-log-bodies', 'keep no bodies (usual)')
    .option('--retries', 'ask the service again where that is safe (usual)')
    .option('--no-retries', 'pass every answer of the service as it is')
    .option('--fail-fast', 'refuse at once where it would have to wait its turn')
    .option('--no-fail-fast', 'let it wait its turn (usual)')
}

/** What the options say, or the end of the command with words about the first that can't be. */
async function readUsage(command: Command, options: object) {
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
