import { isIP } from 'node:net'
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { selfCheckCommand, usualWait } from '../selfCheck/ownRun.ts'
import { keySourceFault, usualKeyVariable } from './apiKey.ts'
import { dataFolder, json, nonEmpty, path, port, shortName, time, zone } from './arguments.ts'
import type { ServeOptions } from './commands/serve.ts'
import { commandsOf, withExamples } from './commandTable.ts'
import { completionScript, shells } from './completion.ts'
import { type ConnectionOptions, connectionUsageFault } from './connection.ts'
import type { Parts } from './dependencies.ts'
import { failureOf, usageErrorCode } from './failure.ts'
import { manPage } from './manPage.ts'
import {
  exitCodes,
  exitCodeTable,
  harmless,
  inOneLine,
  log,
  openOutput,
  outputFailure,
  printJson,
  readerIsGone,
  reportFailure,
  say,
  sayPart,
  setVerbosity,
} from './output.ts'
import { ownPackage } from './package.ts'
import { describeApps } from './programs/apps.ts'
import { describeConnections } from './programs/connections.ts'
import { describeData } from './programs/data.ts'
import { describeMedia } from './programs/media.ts'
import { describeService } from './programs/service.ts'
import { describeUsage } from './programs/usage.ts'
import { openSignals, signalCode } from './signals.ts'
import { timeForms } from './times.ts'

/** Parses a command line, without node and script, runs its command and returns the exit code (`exitCodes`). */
export async function run(argv: readonly string[], parts: Parts): Promise<number> {
  openOutput()
  openSignals()
  const { code: ended, isReported = false } = await outcome(argv, parts)
  // A command that a signal cut has the code of the signal. `serve` and other commands that run until a signal end well with it.
  const code = ended === exitCodes.failed ? (signalCode() ?? ended) : ended
  const failure = await outputFailure()
  if (failure === null || isReported) return code
  if (!readerIsGone()) return reportFailure(failure, false)
  return code === exitCodes.ok ? exitCodes.readerGone : code
}

const usageHint = 'Run "inference-studio --help" for usage.'

/** Runs the command and reports its error. */
async function outcome(argv: readonly string[], parts: Parts): Promise<{ code: number; isReported?: true }> {
  let code: number = exitCodes.ok
  const program = commandLine(parts, (ended) => {
    code = ended
  })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return { code }
  } catch (thrown) {
    // Commander throws for `--help` and `--version` too, with exit code 0. Every other error of commander is a usage error.
    const json = argv.includes('--json')
    if (thrown instanceof CommanderError) {
      if (thrown.exitCode === 0) return { code: exitCodes.ok }
      const words = usageWords(thrown, argv)
      // Commander prints the help without a reason, and nothing for a usage error of our own.
      if (thrown.code === 'commander.help' || thrown.code === usageErrorCode) log('error', words)
      if (thrown.code === usageErrorCode) log('info', usageHint)
      if (json) printJson({ problem: { kind: 'bad_input', message: words } })
      return { code: exitCodes.usage, isReported: true }
    }
    const failure = failureOf(thrown)
    if (failure.kind === 'cancelled' && readerIsGone()) return { code: exitCodes.readerGone, isReported: true }
    return { code: reportFailure(failure, json), isReported: true }
  }
}

/** The reason of a usage error. Commander has none for a command group without a command; its other messages begin with "error: ". */
function usageWords({ code, message }: CommanderError, argv: readonly string[]): string {
  if (code !== 'commander.help') return message.replace(/^error: /, '')
  const at = argv.indexOf('help')
  return at < 0 ? 'A command is missing.' : `unknown command '${argv[at + 1] ?? ''}'`
}

/** Builds every command with its options. The code of a command is loaded when it runs. */
export function commandLine(parts: Parts, ended: (code: number) => void): Command {
  const program = new Command('inference-studio')
    .description('Desktop studio and local API gateway for an OpenAI-style inference service')
    .version(ownPackage().version)
    .option('--quiet', 'print no messages on standard error, except errors')
    .option('--verbose', 'print details on standard error, and the cause of an error')
    .hook('preAction', (_, command) => {
      const { quiet, verbose } = command.optsWithGlobals<{ quiet?: true; verbose?: true }>()
      if (quiet && verbose) command.error('error: --quiet and --verbose can’t be used together.')
      setVerbosity(quiet ? 'quiet' : verbose ? 'verbose' : 'normal')
    })
    // Commander's own least width of a column of text is wider than a narrow terminal.
    .configureHelp({ minWidthToWrap: 16, showGlobalOptions: true })
    .addHelpText(
      'after',
      ['', 'Exit codes:', ...exitCodeTable.map(([code, meaning]) => `  ${code.padEnd(15)}${meaning}`)].join('\n'),
    )
    .exitOverride()
    // Help is printed like all other output, so that a failed write is reported too.
    .configureOutput({
      writeOut: sayPart,
      writeErr: (text) => void process.stderr.write(harmless(text)),
      // Commander puts its suggestion on a second line.
      outputError: (text, write) => write(`${inOneLine(text.replace(/\n(?=\(Did you mean )/g, ' '))}\n`),
    })
    .showHelpAfterError(usageHint)

  const connectable = (name: string, about: string, examples: readonly string[]): Command =>
    withConnection(withExamples(program.command(name).description(about), examples))

  connectable('serve', 'Run the studio for a browser, and the local API', [
    'inference-studio serve --open',
    'inference-studio serve --sandbox --web-port 0 --json',
  ])
    .addOption(dataFolder())
    .option('--web-port <n>', 'port of the web page; 0 is any free port (default: 8786, or the next free port)', port)
    .option('--api-port <n>', 'port of the local API; 0 is any free port (default: 8787, or the next free port)', port)
    .option(
      '--api-listen <address>',
      'also let other computers use the local API at this IP address, with app keys; 0.0.0.0 is every address',
      ipAddress,
    )
    .option(
      '--api-host <name>',
      'name or address by which other computers call this one, for --api-listen; may be repeated',
      hostNames,
    )
    .option(
      '--ollama <app>',
      'also listen on Ollama’s port 11434, without a key, for this app, which needs a budget',
      nonEmpty,
    )
    .option('--no-web', 'do not serve the web page')
    .option('--no-api', 'do not serve the local API')
    .option('--open', 'open the page in the browser', false)
    .addOption(
      new Option('--log <format>', 'format of the log on standard error').choices(['text', 'json']).default('text'),
    )
    .addOption(json())
    .action(async (options, command) => {
      checkConnectionUsage(options, command)
      const fault = serveUsageFault(options)
      if (fault) command.error(`error: ${fault}`)
      ended(await (await import('./commands/serve.ts')).serve(options, parts))
    })

  withExamples(
    program
      .command('open')
      .description(
        'Open the page of the studio that "serve" runs in the browser. Its address works once, within a minute.',
      ),
    ['inference-studio open', 'inference-studio open --print'],
  )
    .option('--print', 'print the address instead', false)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (options) => ended(await (await import('./commands/open.ts')).openPage(options)))

  withExamples(program.command('sandbox').description('Run only the sandbox, a simulated service on this computer'), [
    'inference-studio sandbox --port 9000',
    'inference-studio sandbox --replay replay.json --at-once --json',
  ])
    .option('--port <n>', 'port to listen on; 0 is any free port', port, 0)
    .option(
      '--replay <file>',
      'answer with the recorded replies of this fixture, which the request log exports',
      nonEmpty,
    )
    .option('--at-once', 'with --replay: send each reply at once, not with its recorded timing', false)
    .option('--exact', 'with --replay: refuse a request that equals no recorded one', false)
    .addOption(json())
    .action(async (options, command) => {
      if (options.replay === undefined && (options.atOnce || options.exact)) {
        command.error('error: --at-once and --exact need --replay')
      }
      ended(await (await import('./commands/sandbox.ts')).sandbox(options, parts))
    })

  connectable(
    'mcp',
    'Speech, images, transcription and documents as tools of an agent: an MCP server on standard input and output',
    ['INFERENCE_STUDIO_KEY=isk_… inference-studio mcp'],
  )
    .option(
      '--api-port <n>',
      'port of the local API while this command runs a studio; on Windows also that of the running studio (default: any free port)',
      port,
    )
    .addOption(dataFolder())
    .action(async (options, command) => {
      checkConnectionUsage(options, command)
      ended(await (await import('./commands/mcp.ts')).mcp(options, parts))
    })

  describeService(program, ended)
  describeApps(program, parts, ended)
  describeConnections(program, parts, ended)

  withExamples(program.command('requests').description('Show the request log of the studio and of all apps'), [
    'inference-studio requests --app editor --outcome failed',
    'inference-studio requests --follow --json',
    'inference-studio requests --sessions --since 7d',
  ])
    .option('--follow', 'keep printing new requests until Ctrl-C', false)
    .option('--sessions', 'show sessions: all requests of one conversation of an app as one line', false)
    .option('--session <id>', 'only the requests of this session, and what each lost of the cache', nonEmpty)
    .option('--app <id or name>', 'only this app; or studio, or strangers (callers without a valid app key)', nonEmpty)
    .option('--model <id>', 'only requests that name this model', nonEmpty)
    .addOption(
      new Option('--outcome <outcome>', 'only requests with this outcome').choices([
        'open',
        'ok',
        'failed',
        'refused',
        'cancelled',
      ]),
    )
    .option('--text <text>', 'only requests with this text in path, model, app, problem or request id', nonEmpty)
    .option('--since <time>', `only requests from this time on: ${timeForms}`, time)
    .option('--until <time>', 'only requests up to this time, or to the end of this day or month', time)
    .option(
      '--tz <zone>',
      'time zone of the table, and of times without one; local is that of this computer',
      zone,
      'UTC',
    )
    .option('--limit <n>', 'number of newest requests or sessions to show, 1 to 1000', count, 50)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (options) => ended(await (await import('./commands/requests.ts')).requests(options, parts)))

  describeUsage(program, parts, ended)
  describeData(program, parts, ended)

  connectable('chat', 'Send one prompt and print the reply as it arrives', [
    "inference-studio chat 'How do tides work?' --sandbox",
    "inference-studio chat 'Summarise this text' --sandbox < README.md",
    "inference-studio chat 'And in one sentence?' --sandbox --continue",
    "inference-studio chat 'What is this?' --file README.md --sandbox --json",
  ])
    .argument('[prompt]', 'text to send; - is standard input. Beside a pipe: the instruction for its text')
    .option(
      '--model <id>',
      'exact model id (default: that of the chat, else the first that the service lists)',
      nonEmpty,
    )
    .option('--system <text>', 'instructions for the model, sent before the prompt', nonEmpty)
    .option('--file <path>', 'document or image to attach; repeat for more', several, [])
    .option('--continue', 'go on with the chat that was used last', false)
    .option('--chat <id>', 'go on with this chat: its id, or the beginning of it', nonEmpty)
    .option('--schema <file>', 'file with a JSON schema that the reply must match', path)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (prompt, options, command) => {
      checkConnectionUsage(options, command)
      if (options.continue && options.chat !== undefined)
        command.error('error: --continue and --chat can’t be used together.')
      ended(await (await import('./commands/chat.ts')).chat(prompt, options, parts))
    })

  describeMedia(connectable, checkConnectionUsage, parts, ended)

  withKeySource(
    withExamples(
      program
        .command('login')
        .description(
          'Add a connection and store its API key in the keychain. The key is read from standard input by default.',
        ),
      [
        'inference-studio login --base-url https://api.example.com/v1',
        'inference-studio login --base-url https://api.example.com/v1 --api-key-file ~/key --name work',
      ],
    ).requiredOption('--base-url <url>', 'base URL of the service', nonEmpty),
    'standard input',
  )
    .option('--name <name>', 'name of the connection; an existing one gets this URL and key', shortName)
    .option('--allow-insecure', 'allow http:// to another computer', false)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (options, command) => {
      const fault = keySourceFault(options, true)
      if (fault) command.error(`error: ${fault}`)
      ended(await (await import('./commands/account.ts')).login(options, parts))
    })

  program
    .command('logout')
    .description('Delete the connection in use and its API key. Chats stay.')
    .addOption(dataFolder())
    .addOption(json())
    .action(async (options) => ended(await (await import('./commands/account.ts')).logout(options, parts)))

  connectable(
    'doctor',
    'Check what you have set up: Node, keychain, data folder, ports, service and API key. "self-check" checks the program itself.',
    ['inference-studio doctor --sandbox', 'inference-studio doctor --ignore-warnings'],
  )
    .option('--ignore-warnings', 'exit with 0 when nothing failed', false)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (options, command) => {
      checkConnectionUsage(options, command)
      ended(await (await import('./commands/doctor.ts')).doctor(options, parts))
    })

  withExamples(
    program
      .command(selfCheckCommand)
      .description(
        'Try out every part of this installation in a temporary folder: threads, processes, search, keychain, TLS, page. ' +
          'It never uses your data, your API key or the service; "doctor" checks those.',
      ),
    ['inference-studio self-check', 'inference-studio self-check --json'],
  )
    .option('--wait <seconds>', 'longest time of all checks together, 1 to 1000', count, usualWait)
    .addOption(json())
    .action(async (options) => ended(await (await import('./commands/selfCheck.ts')).selfCheck(options)))

  program
    .command('version')
    .description('Show the version of this program and of Node')
    .addOption(json())
    .action((options) => {
      const facts = {
        version: ownPackage().version,
        node: process.versions.node,
        platform: process.platform,
        arch: process.arch,
      }
      if (options.json) printJson(facts)
      else say(`Inference Studio ${facts.version} (Node ${facts.node}, ${facts.platform} ${facts.arch})`)
    })

  withExamples(
    program.command('completion').description('Print a script that completes commands and options in a shell'),
    ['inference-studio completion bash > completion.bash'],
  )
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .action((shell) => sayPart(completionScript(shell, commandsOf(program))))

  withExamples(program.command('man').description('Print the man page of this program, in roff'), [
    'inference-studio man > inference-studio.1',
  ]).action(() => sayPart(manPage(commandsOf(program), ownPackage().version)))

  return program
}

/** The first invalid combination of options as a sentence, or null. */
function serveUsageFault(options: Omit<ServeOptions, 'json' | 'log'>): string | null {
  const { web, api, open, webPort, apiPort, ollama, apiListen, apiHost } = options
  if (!web && !api) return '--no-web and --no-api leave nothing to serve.'
  if (!api && apiListen !== undefined) return '--api-listen and --no-api can’t be used together.'
  if (apiListen !== undefined && apiHost === undefined)
    return '--api-listen needs --api-host: the name that others use.'
  if (apiListen === undefined && apiHost !== undefined) return '--api-host needs --api-listen.'
  if (!web && open) return '--open and --no-web can’t be used together.'
  if (!web && webPort !== undefined) return '--web-port and --no-web can’t be used together.'
  if (!api && apiPort !== undefined) return '--api-port and --no-api can’t be used together.'
  if (!api && ollama !== undefined) return '--ollama and --no-api can’t be used together.'
  if (webPort && webPort === apiPort) return `--web-port and --api-port are both ${webPort}. Give each its own port.`
  return null
}

/** Adds the options that choose the service for one run. */
function withConnection(command: Command): Command {
  return withKeySource(
    command
      .option('--sandbox', 'use the sandbox instead of a service')
      .option('--connection <name>', 'use this stored connection for this run', nonEmpty)
      .option('--base-url <url>', 'use the service at this base URL for this run', nonEmpty),
    `--api-key-env ${usualKeyVariable}`,
  )
}

/** Adds the options that name the source of the API key for `--base-url`. */
function withKeySource(command: Command, usual: string): Command {
  return command
    .option(
      '--api-key-file <path>',
      `file with the API key for --base-url that only you can read; recommended (default: ${usual})`,
      path,
    )
    .option('--api-key-fd <n>', 'open file descriptor to read the API key from, such as 3 with 3<file', descriptor)
    .option(
      '--api-key-env <name>',
      'environment variable with the API key. Programs that you run, such as MCP servers, can read it while this program runs',
      nonEmpty,
    )
}

function checkConnectionUsage(options: ConnectionOptions, command: Command): void {
  const fault = connectionUsageFault(options)
  if (fault) command.error(`error: ${fault}`)
}

/** Collects the values of an option that may be repeated. */
const several = (value: string, before: readonly string[]): string[] => [...before, path(value)]

function descriptor(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('A file descriptor is a number, such as 3.')
  return Number(text)
}

function ipAddress(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError('An IP address of this computer, such as 0.0.0.0.')
  return text
}

function hostNames(text: string, before: readonly string[] = []): readonly string[] {
  const isName = /^(?:[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i.test(text)
  if (!isName) throw new InvalidArgumentError('A host name or address without http://, such as studio or studio:8080.')
  return [...before, text]
}

function count(text: string): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (number < 1 || number > 1000) throw new InvalidArgumentError('A number from 1 to 1000.')
  return number
}
