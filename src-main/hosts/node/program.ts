import { isIP } from 'node:net'
import type { WriteStream } from 'node:tty'
import { Argument, Command, CommanderError, Help, InvalidArgumentError, Option } from 'commander'
import { and, help, speak, t } from '../../../src-renderer/i18n/cli.ts'
import { selfCheckCommand, usualWait } from '../selfCheck/ownRun.ts'
import { keySourceFault, usualKeyVariable } from './apiKey.ts'
import { dataFolder, json, language, nonEmpty, path, port, shortName, time, zone } from './arguments.ts'
import { helpStyle, usageText } from './commanderWords.ts'
import type { ServeOptions } from './commands/serve.ts'
import { commandsOf, withExamples } from './commandTable.ts'
import { completionScript, shells } from './completion.ts'
import { type ConnectionOptions, connectionUsageFault } from './connection.ts'
import type { Parts } from './dependencies.ts'
import { failureOf, usageErrorCode } from './failure.ts'
import { wantedLanguages } from './language.ts'
import { manPage } from './manPage.ts'
import {
  exitCodes,
  exitCodeTable,
  foldedOnTerminal,
  harmless,
  inOneLine,
  openOutput,
  outputFailure,
  printJson,
  readerIsGone,
  reportFailure,
  say,
  sayPart,
  setVerbosity,
  tell,
} from './output.ts'
import { ownPackage } from './package.ts'
import { describeApps } from './programs/apps.ts'
import { describeConnections } from './programs/connections.ts'
import { describeData } from './programs/data.ts'
import { describeMedia } from './programs/media.ts'
import { describeService } from './programs/service.ts'
import { describeUsage } from './programs/usage.ts'
import { openSignals, signalCode } from './signals.ts'
import { folded, outputWidth, pairLines, usualWidth } from './table.ts'

/** Parses a command line, without node and script, runs its command and returns the exit code (`exitCodes`). */
export async function run(argv: readonly string[], parts: Parts): Promise<number> {
  openOutput()
  openSignals()
  await speak(wantedLanguages(argv))
  const { code: ended, isReported = false } = await outcome(argv, parts)
  // A command that a signal cut has the code of the signal. `serve` and other commands that run until a signal end well with it.
  const code = ended === exitCodes.failed ? (signalCode() ?? ended) : ended
  const failure = await outputFailure()
  if (failure === null || isReported) return code
  if (!readerIsGone()) return reportFailure(failure, false)
  return code === exitCodes.ok ? exitCodes.readerGone : code
}

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
      if (thrown.code === 'commander.help' || thrown.code === usageErrorCode) tell('error', words)
      if (thrown.code === usageErrorCode) tell('info', t('usage.hint'))
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
  return at < 0 ? t('usage.noCommand') : t('usage.unknownCommand', { name: argv[at + 1] ?? '' })
}

/** Builds every command with its options. The code of a command is loaded when it runs. */
export function commandLine(parts: Parts, ended: (code: number) => void): Command {
  const program = new Command('inference-studio')
    .description(help('program'))
    .version(ownPackage().version, '-V, --version', help('words.version'))
    .helpOption('-h, --help', help('words.help'))
    .helpCommand('help [command]', help('words.help'))
    .option('--quiet', help('option.quiet'))
    .option('--verbose', help('option.verbose'))
    .option('--lang <tag>', help('option.lang'), language)
    .hook('preAction', (_, command) => {
      const { quiet, verbose } = command.optsWithGlobals<{ quiet?: true; verbose?: true }>()
      if (quiet && verbose) command.error(`error: ${together('--quiet', '--verbose')}`)
      setVerbosity(quiet ? 'quiet' : verbose ? 'verbose' : 'normal')
    })
    .configureHelp({ ...helpStyle, ...narrowHelp })
    .addHelpText('after', () => ['', help('words.exitCodes'), ...exitCodeLines()].join('\n'))
    .exitOverride()
    // Help is printed like all other output, so that a failed write is reported too.
    .configureOutput({
      writeOut: sayPart,
      getOutHelpWidth: () => helpWidth(),
      getErrHelpWidth: () => helpWidth(process.stderr),
      writeErr: (text) => void process.stderr.write(harmless(text)),
      outputError: (text, write) => {
        const message = inOneLine(usageText(text.trim().replace(/^error: /, '')))
        write(foldedOnTerminal(`${t('level.error', { message })}\n`))
      },
    })
    .showHelpAfterError(t('usage.hint'))

  const connectable = (name: string, about: string, examples: readonly string[]): Command =>
    withConnection(withExamples(program.command(name).description(about), examples))

  connectable('serve', help('serve.about'), [
    'inference-studio serve --open',
    'inference-studio serve --sandbox --web-port 0 --json',
  ])
    .addOption(dataFolder())
    .option('--web-port <n>', help('serve.webPort'), port)
    .option('--api-port <n>', help('serve.apiPort'), port)
    .option('--api-listen <address>', help('serve.apiListen'), ipAddress)
    .option('--api-host <name>', help('serve.apiHost'), hostNames)
    .option('--ollama <app>', help('serve.ollama'), nonEmpty)
    .option('--no-web', help('serve.noWeb'))
    .option('--no-api', help('serve.noApi'))
    .option('--open', help('serve.open'), false)
    .addOption(new Option('--log <format>', help('serve.log')).choices(['text', 'json']).default('text'))
    .addOption(json())
    .action(async (options, command) => {
      checkConnectionUsage(options, command)
      const fault = serveUsageFault(options)
      if (fault) command.error(`error: ${fault}`)
      ended(await (await import('./commands/serve.ts')).serve(options, parts))
    })

  withExamples(program.command('open').description(help('open.about')), [
    'inference-studio open',
    'inference-studio open --print',
  ])
    .option('--print', help('open.print'), false)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (options) => ended(await (await import('./commands/open.ts')).openPage(options)))

  withExamples(program.command('sandbox').description(help('sandbox.about')), [
    'inference-studio sandbox --port 9000',
    'inference-studio sandbox --replay replay.json --at-once --json',
  ])
    .option('--port <n>', help('sandbox.port'), port, 0)
    .option('--replay <file>', help('sandbox.replay'), nonEmpty)
    .option('--at-once', help('sandbox.atOnce'), false)
    .option('--exact', help('sandbox.exact'), false)
    .addOption(json())
    .action(async (options, command) => {
      if (options.replay === undefined && (options.atOnce || options.exact)) {
        command.error(`error: ${t('usage.replayOnly')}`)
      }
      ended(await (await import('./commands/sandbox.ts')).sandbox(options, parts))
    })

  connectable('mcp', help('mcp.about'), ['INFERENCE_STUDIO_KEY=isk_… inference-studio mcp'])
    .option('--api-port <n>', help('mcp.apiPort'), port)
    .addOption(dataFolder())
    .action(async (options, command) => {
      checkConnectionUsage(options, command)
      ended(await (await import('./commands/mcp.ts')).mcp(options, parts))
    })

  describeService(program, ended)
  describeApps(program, parts, ended)
  describeConnections(program, parts, ended)

  withExamples(program.command('requests').description(help('requests.about')), [
    'inference-studio requests --app editor --outcome failed',
    'inference-studio requests --follow --json',
    'inference-studio requests --sessions --since 7d',
  ])
    .option('--follow', help('requests.follow'), false)
    .option('--sessions', help('requests.sessions'), false)
    .option('--session <id>', help('requests.session'), nonEmpty)
    .option('--app <id or name>', help('requests.app'), nonEmpty)
    .option('--model <id>', help('requests.model'), nonEmpty)
    .addOption(
      new Option('--outcome <outcome>', help('requests.outcome')).choices([
        'open',
        'ok',
        'failed',
        'refused',
        'cancelled',
      ]),
    )
    .option('--text <text>', help('requests.text'), nonEmpty)
    .option('--since <time>', help('requests.since', { forms: help('times') }), time)
    .option('--until <time>', help('requests.until'), time)
    .option('--tz <zone>', help('requests.tz'), zone, 'UTC')
    .option('--limit <n>', help('requests.limit'), count, 50)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (options) => ended(await (await import('./commands/requests.ts')).requests(options, parts)))

  describeUsage(program, parts, ended)
  describeData(program, parts, ended)

  connectable('chat', help('chat.about'), [
    "inference-studio chat 'How do tides work?' --sandbox",
    "inference-studio chat 'Summarise this text' --sandbox < README.md",
    "inference-studio chat 'And in one sentence?' --sandbox --continue",
    "inference-studio chat 'What is this?' --file README.md --sandbox --json",
  ])
    .argument('[prompt]', help('chat.prompt'))
    .option('--model <id>', help('chat.model'), nonEmpty)
    .option('--system <text>', help('chat.system'), nonEmpty)
    .option('--file <path>', help('chat.file'), several, [])
    .option('--continue', help('chat.continue'), false)
    .option('--chat <id>', help('chat.chat'), nonEmpty)
    .option('--schema <file>', help('chat.schema'), path)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (prompt, options, command) => {
      checkConnectionUsage(options, command)
      if (options.continue && options.chat !== undefined) command.error(`error: ${together('--continue', '--chat')}`)
      ended(await (await import('./commands/chat.ts')).chat(prompt, options, parts))
    })

  describeMedia(connectable, checkConnectionUsage, parts, ended)

  withKeySource(
    withExamples(program.command('login').description(help('login.about')), [
      'inference-studio login --base-url https://api.example.com/v1',
      'inference-studio login --base-url https://api.example.com/v1 --api-key-file ~/key --name work',
    ]).requiredOption('--base-url <url>', help('login.baseUrl'), nonEmpty),
    help('option.standardInput'),
  )
    .option('--name <name>', help('login.name'), shortName)
    .option('--allow-insecure', help('login.allowInsecure'), false)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (options, command) => {
      const fault = keySourceFault(options, true)
      if (fault) command.error(`error: ${fault}`)
      ended(await (await import('./commands/account.ts')).login(options, parts))
    })

  program
    .command('logout')
    .description(help('logout.about'))
    .addOption(dataFolder())
    .addOption(json())
    .action(async (options) => ended(await (await import('./commands/account.ts')).logout(options, parts)))

  connectable('doctor', help('doctor.about'), [
    'inference-studio doctor --sandbox',
    'inference-studio doctor --ignore-warnings',
  ])
    .option('--ignore-warnings', help('doctor.ignoreWarnings'), false)
    .addOption(dataFolder())
    .addOption(json())
    .action(async (options, command) => {
      checkConnectionUsage(options, command)
      ended(await (await import('./commands/doctor.ts')).doctor(options, parts))
    })

  withExamples(program.command(selfCheckCommand).description(help('selfCheck.about')), [
    'inference-studio self-check',
    'inference-studio self-check --json',
  ])
    .option('--wait <seconds>', help('selfCheck.wait'), count, usualWait)
    .addOption(json())
    .action(async (options) => ended(await (await import('./commands/selfCheck.ts')).selfCheck(options)))

  program
    .command('version')
    .description(help('version.about'))
    .addOption(json())
    .action((options) => {
      const facts = {
        version: ownPackage().version,
        node: process.versions.node,
        platform: process.platform,
        arch: process.arch,
      }
      if (options.json) printJson(facts)
      else say(t('version', facts))
    })

  withExamples(program.command('completion').description(help('completion.about')), [
    'inference-studio completion bash > completion.bash',
  ])
    .addArgument(new Argument('<shell>', help('completion.shell')).choices(shells))
    .action((shell) => sayPart(completionScript(shell, commandsOf(program))))

  withExamples(program.command('man').description(help('manPage.about')), [
    'inference-studio man > inference-studio.1',
  ]).action(() => sayPart(manPage(commandsOf(program), ownPackage().version)))

  return program
}

const together = (...options: string[]): string => t('usage.together', { options: and(options) })

/** Width of the help, in columns: in a pipe or a file, it is as wide as usual. */
const helpWidth = (stream: WriteStream = process.stdout): number => (stream.isTTY ? outputWidth(stream) : usualWidth)

/** The least width of the right column of the help, columns. */
const leastColumn = 16

/** What commander does not fit into a narrow terminal: long lines of usage, and texts that have no room beside their terms. */
const narrowHelp: Partial<Help> = {
  commandUsage(command) {
    const indent = (this.styleTitle?.('Usage:') ?? '').length + 1
    const lines = folded(new Help().commandUsage(command), (this.helpWidth ?? usualWidth) - indent)
    return lines.join(`\n${' '.repeat(indent)}`)
  },
  formatItem(term, termWidth, description, helper) {
    const width = helper.helpWidth ?? usualWidth
    if (description === '' || width - termWidth - 4 >= leastColumn)
      return Help.prototype.formatItem.call(helper, term, termWidth, description, helper)
    return [`  ${term}`, ...folded(description, width - 6).map((line) => `      ${line}`)].join('\n')
  },
}

/** The exit codes as the lines of the help, as wide as commander makes the others. */
const exitCodeLines = (): string[] => pairLines(exitCodeTable(), helpWidth() - 2).map((line) => `  ${line}`)

/** The first invalid combination of options as a sentence, or null. */
function serveUsageFault(options: Omit<ServeOptions, 'json' | 'log'>): string | null {
  const { web, api, open, webPort, apiPort, ollama, apiListen, apiHost } = options
  if (!web && !api) return t('usage.nothingToServe')
  if (!api && apiListen !== undefined) return together('--api-listen', '--no-api')
  if (apiListen !== undefined && apiHost === undefined) return t('usage.needsHost')
  if (apiListen === undefined && apiHost !== undefined)
    return t('usage.needs', { option: '--api-host', other: '--api-listen' })
  if (!web && open) return together('--open', '--no-web')
  if (!web && webPort !== undefined) return together('--web-port', '--no-web')
  if (!api && apiPort !== undefined) return together('--api-port', '--no-api')
  if (!api && ollama !== undefined) return together('--ollama', '--no-api')
  if (webPort && webPort === apiPort) return t('usage.samePort', { port: String(webPort) })
  return null
}

/** Adds the options that choose the service for one run. */
function withConnection(command: Command): Command {
  return withKeySource(
    command
      .option('--sandbox', help('option.sandbox'))
      .option('--connection <name>', help('option.connection'), nonEmpty)
      .option('--base-url <url>', help('option.baseUrl'), nonEmpty),
    `--api-key-env ${usualKeyVariable}`,
  )
}

/** Adds the options that name the source of the API key for `--base-url`. */
function withKeySource(command: Command, usual: string): Command {
  return command
    .option('--api-key-file <path>', help('option.apiKeyFile', { source: usual }), path)
    .option('--api-key-fd <n>', help('option.apiKeyFd'), descriptor)
    .option('--api-key-env <name>', help('option.apiKeyEnv'), nonEmpty)
}

function checkConnectionUsage(options: ConnectionOptions, command: Command): void {
  const fault = connectionUsageFault(options)
  if (fault) command.error(`error: ${fault}`)
}

/** Collects the values of an option that may be repeated. */
const several = (value: string, before: readonly string[]): string[] => [...before, path(value)]

function descriptor(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError(t('invalid.descriptor'))
  return Number(text)
}

function ipAddress(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError(t('invalid.address'))
  return text
}

function hostNames(text: string, before: readonly string[] = []): readonly string[] {
  const isName = /^(?:[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i.test(text)
  if (!isName) throw new InvalidArgumentError(t('invalid.host'))
  return [...before, text]
}

function count(text: string): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (number < 1 || number > 1000) throw new InvalidArgumentError(t('invalid.number', { from: 1, to: 1000 }))
  return number
}
