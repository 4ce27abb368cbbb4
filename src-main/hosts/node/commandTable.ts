import type { Command, Option } from 'commander'
import { help } from '../../../src-renderer/i18n/cli.ts'

// The commands as a table: what commander knows of them, and their examples. Help, completion, man pages and the tests read the same table.

const examples = new WeakMap<Command, readonly string[]>()

/** Appends an "Examples" section to the help of a command. */
export function withExamples(command: Command, lines: readonly string[]): Command {
  examples.set(command, lines)
  return command.addHelpText('after', ['', help('words.examples'), ...lines.map((line) => `  $ ${line}`)].join('\n'))
}

/** An option of a command. */
export interface DescribedOption {
  /** As typed: `--model`, and `--no-web` for an option that switches something off. */
  long: string
  short: string | null
  /** As in the help, such as `--model <id>`. */
  flags: string
  about: string
  takesValue: boolean
  choices: readonly string[]
}

export interface DescribedCommand {
  /** Without the name of the program: `apps add`; empty for the program itself. */
  name: string
  /** As in the help, with arguments: `apps add [options] <name>`. */
  usage: string
  about: string
  options: readonly DescribedOption[]
  /** What each argument means, and its values if there is a list. */
  arguments: readonly { name: string; about: string; choices: readonly string[] }[]
  /** Names of the commands below it. */
  commands: readonly string[]
  examples: readonly string[]
}

/** The program and every command that its help shows, each after the command that it belongs to. */
export function commandsOf(command: Command, name = ''): DescribedCommand[] {
  const below = command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help')
  const own: DescribedCommand = {
    name,
    usage: `${name} ${command.usage()}`.trim(),
    about: command.description(),
    options: command.createHelp().visibleOptions(command).map(optionOf),
    arguments: command.registeredArguments.map((one) => ({
      ...{ name: one.name(), about: one.description, choices: one.argChoices ?? [] },
    })),
    commands: below.map((one) => one.name()),
    examples: examples.get(command) ?? [],
  }
  return [own, ...below.flatMap((one) => commandsOf(one, `${name} ${one.name()}`.trim()))]
}

function optionOf({ long, short, flags, description, argChoices, required, optional }: Option): DescribedOption {
  return {
    long: long ?? flags,
    short: short ?? null,
    flags,
    about: description,
    takesValue: required || optional,
    choices: argChoices ?? [],
  }
}
