import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { dataFolder, json, nonEmpty } from './arguments.ts'
import { type ConnectionOptions, connectionUsageFault } from './connection.ts'
import { describeConnections } from './connectionsProgram.ts'
import { describeData } from './dataProgram.ts'
import { failureOf } from './failure.ts'
import { exitCodes, printJson, reportFailure } from './output.ts'
import { ownPackage } from './package.ts'
import type { Parts } from './parts.ts'
import { describeTools } from './toolsProgram.ts'
import { describeUsage } from './usageProgram.ts'

/** Reads a command line (without node and script) and runs its command. Answers the exit code. */
export async function run(argv: readonly string[], parts: Parts): Promise<number> {
  let code: number = exitCodes.ok
  // Whoever read our output may go (`| head`). The work goes on; commands that only print end by themselves.
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
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
      if (json) printJson({ problem: { kind: 'bad_input', message: usageWords(thrown) } })
      return exitCodes.usage
    }
    return reportFailure(failureOf(thrown), json)
  }
}

/** Commander calls a command group without its command "(outputHelp)"; its other messages begin with "error: ". */
function usageWords({ code, message }: CommanderError): string {
  return code === 'commander.help' ? 'A command is missing.' : message.replace(/^error: /, '')
}

/** Every command with its options; what a command does is loaded when it runs. */
function describe(parts: Parts, ended: (code: number) => void): Command {
  const program = new Command('inference-studio')
    .description('Studio and safe local gateway for an OpenAI-style inference service')
    .version(ownPackage().version)
    .exitOverride()
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
      ended(await (await import('./commands/serve.ts')).serve(options, parts))
    })

  program
    .command('sandbox')
    .description('run the stand-in for the service alone')
    .option('--port <n>', 'its port, 0 for any', port, 0)
    .addOption(json())
    .action(async (options) => ended(await (await import('./commands/sandbox.ts')).sandbox(options, parts)))

  describeTools(program, parts, ended)
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
    .option('--model <id>', 'exact id of a model (usual: the first of the list)')
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
    .requiredOption('--base-url <url>', 'base address of the service')
    .option('--api-key-env <name>', 'environment variable that holds the key')
    .option('--name <name>', 'what to call it; one that is called so already gets this address and key')
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

function connectable(command: Command): Command {
  return command
    .option('--sandbox', 'use the local stand-in for the service')
    .option('--connection <name>', 'a stored connection, for this run')
    .option('--base-url <url>', 'base address of the service, for this run')
    .option('--api-key-env <name>', 'environment variable that holds the key (usual: INFERENCE_STUDIO_API_KEY)')
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

function instant(text: string): string {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw new InvalidArgumentError('A time such as 2026-11-21 or 2026-11-21T14:05:00Z.')
  return at.toISOString()
}
