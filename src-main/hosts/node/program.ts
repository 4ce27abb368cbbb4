import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { dataFolder, instant, json, nonEmpty, shortName } from './arguments.ts'
import type { ServeOptions } from './commands/serve.ts'
import { type ConnectionOptions, connectionUsageFault } from './connection.ts'
import type { Parts } from './dependencies.ts'
import { failureOf } from './failure.ts'
import {
  exitCodes,
  harmless,
  inOneLine,
  log,
  openOutput,
  outputFailure,
  printJson,
  readerIsGone,
  reportFailure,
  sayPart,
} from './output.ts'
import { ownPackage } from './package.ts'
import { describeApps } from './programs/apps.ts'
import { describeConnections } from './programs/connections.ts'
import { describeData } from './programs/data.ts'
import { describeUsage } from './programs/usage.ts'

/** Reads a command line (without node and script) and runs its command. Answers the exit code. */
export async function run(argv: readonly string[], parts: Parts): Promise<number> {
  openOutput()
  const code = await outcome(argv, parts)
  const failure = await outputFailure()
  if (failure === null || code !== exitCodes.ok) return code
  return readerIsGone() ? exitCodes.readerGone : reportFailure(failure, false)
}

/** Runs the command, and reports what it throws. */
async function outcome(argv: readonly string[], parts: Parts): Promise<number> {
  let code: number = exitCodes.ok
  const program = describe(parts, (ended) => {
    code = ended
  })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return code
  } catch (thrown) {
    // Help and version that were asked for end with 0; every other word of commander's is about usage.
    const json = argv.includes('--json')
    if (thrown instanceof CommanderError) {
      if (thrown.exitCode === 0) return exitCodes.ok
      const words = usageWords(thrown, argv)
      // Commander shows its help without a word on why.
      if (thrown.code === 'commander.help') log('error', words)
      if (json) printJson({ problem: { kind: 'bad_input', message: words } })
      return exitCodes.usage
    }
    const failure = failureOf(thrown)
    if (failure.kind === 'cancelled' && readerIsGone()) return exitCodes.readerGone
    return reportFailure(failure, json)
  }
}

/** Commander calls a command group without its command "(outputHelp)"; its other messages begin with "error: ". */
function usageWords({ code, message }: CommanderError, argv: readonly string[]): string {
  if (code !== 'commander.help') return message.replace(/^error: /, '')
  const at = argv.indexOf('help')
  return at < 0 ? 'A command is missing.' : `unknown command '${argv[at + 1] ?? ''}'`
}

/** Every command with its options; what a command does is loaded when it runs. */
function describe(parts: Parts, ended: (code: number) => void): Command {
  const program = new Command('inference-studio')
    .description('Studio and safe local gateway for an OpenAI-style inference service')
    .version(ownPackage().version)
    .exitOverride()
    // Help texts are written as all other output is, so that one that can't be written is a failure too.
    .configureOutput({
      writeOut: sayPart,
      writeErr: (text) => void process.stderr.write(harmless(text)),
      // Commander's own suggestion stands on a line of its own.
      outputError: (text, write) => write(`${inOneLine(text.replace(/\n(?=\(Did you mean )/g, ' '))}\n`),
    })
    .showHelpAfterError('(inference-studio --help tells more)')

  connectable(program.command('serve').description('run the studio for a browser, and the local /v1'))
    .addOption(dataFolder('where conversations and settings are stored'))
    .option('--web-port <n>', 'port of the web address, 0 for any (usual: 8786 or the next free)', port)
    .option('--proxy-port <n>', 'port of the local /v1, 0 for any (usual: 8787 or the next free)', port)
    .option('--no-web', 'without the web address')
    .option('--no-proxy', 'without the local /v1')
    .option('--open', 'open a browser', false)
    .addOption(json())
    .action(async (options, command) => {
      checkConnectionUsage(options, command)
      const fault = serveUsageFault(options)
      if (fault) command.error(`error: ${fault}`)
      ended(await (await import('./commands/serve.ts')).serve(options, parts))
    })

  program
    .command('sandbox')
    .description('run the stand-in for the service alone')
    .option('--port <n>', 'its port, 0 for any', port, 0)
    .addOption(json())
    .action(async (options) => ended(await (await import('./commands/sandbox.ts')).sandbox(options, parts)))

  describeApps(program, parts, ended)
  describeConnections(program, parts, ended)

  program
    .command('requests')
    .description('the log of requests, of tools and of the studio')
    .option('--follow', 'go on as they come, until Ctrl-C', false)
    .option('--tool <id or name>', 'of one tool; also: studio, strangers', nonEmpty)
    .option('--model <id>', 'that named this model', nonEmpty)
    .addOption(
      new Option('--outcome <which>', 'how they ended').choices(['open', 'ok', 'failed', 'refused', 'cancelled']),
    )
    .option('--text <text>', 'anywhere in path, model, tool, problem or request id', nonEmpty)
    .option('--since <instant>', 'from this time on (UTC, ISO 8601)', instant)
    .option('--limit <n>', 'how many of the newest', count, 50)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (options) => ended(await (await import('./commands/requests.ts')).requests(options, parts)))

  describeUsage(program, parts, ended)
  describeData(program, parts, ended)

  connectable(program.command('chat').description('ask once; the reply streams to the terminal'))
    .argument('<prompt>', 'what to ask', nonEmpty)
    .option('--model <id>', 'exact id of a model (usual: the first of the list)', nonEmpty)
    .addOption(dataFolder('where the exchange is stored'))
    .addOption(json())
    .action(async (prompt, options, command) => {
      checkConnectionUsage(options, command)
      ended(await (await import('./commands/chat.ts')).chat(prompt, options, parts))
    })

  program
    .command('login')
    .description(
      'add a connection, or give one another key; the key comes from standard input or a variable, and goes into the keychain',
    )
    .requiredOption('--base-url <url>', 'base address of the service', nonEmpty)
    .option('--api-key-env <name>', 'environment variable that holds the key', nonEmpty)
    .option('--name <name>', 'what to call it; one that is called so already gets this address and key', shortName)
    .option('--allow-insecure', 'plain http to another machine', false)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (options) => ended(await (await import('./commands/account.ts')).login(options, parts)))

  program
    .command('logout')
    .description('forget the connection in use and its key; conversations stay')
    .addOption(dataFolder())
    .addOption(json())
    .action(async (options) => ended(await (await import('./commands/account.ts')).logout(options, parts)))

  connectable(program.command('doctor').description('tell what was found: Node, keychain, folder, ports, service, key'))
    .addOption(dataFolder())
    .addOption(json())
    .action(async (options, command) => {
      checkConnectionUsage(options, command)
      ended(await (await import('./commands/doctor.ts')).doctor(options, parts))
    })

  return program
}

/** The first fault of the combination, in words, or null. */
function serveUsageFault({ web, proxy, open, webPort, proxyPort }: Omit<ServeOptions, 'json'>): string | null {
  if (!web && open) return '--open and --no-web exclude each other.'
  if (!web && webPort !== undefined) return '--web-port and --no-web exclude each other.'
  if (!proxy && proxyPort !== undefined) return '--proxy-port and --no-proxy exclude each other.'
  if (webPort && webPort === proxyPort)
    return `--web-port and --proxy-port are both ${webPort}. Give each its own port.`
  return null
}

function connectable(command: Command): Command {
  return command
    .option('--sandbox', 'use the local stand-in for the service')
    .option('--connection <name>', 'a stored connection, for this run', nonEmpty)
    .option('--base-url <url>', 'base address of the service, for this run', nonEmpty)
    .option(
      '--api-key-env <name>',
      'environment variable that holds the key (usual: INFERENCE_STUDIO_API_KEY)',
      nonEmpty,
    )
}

function checkConnectionUsage(options: ConnectionOptions, command: Command): void {
  const fault = connectionUsageFault(options)
  if (fault) command.error(`error: ${fault}`)
}

function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(number <= 65_535)) throw new InvalidArgumentError('A port is a number from 0 to 65535.')
  return number
}

function count(text: string): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (number < 1 || number > 1000) throw new InvalidArgumentError('A number from 1 to 1000.')
  return number
}
