import { help } from '../../../src-renderer/i18n/cli.ts'
import type { DescribedCommand } from './commandTable.ts'
import { exitCodeTable } from './output.ts'

/** A text of roff: backslashes, and lines that would begin with a request. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')

/** The man page of the program in section 1, in roff with the man macros. */
export function manPage(all: readonly DescribedCommand[], version: string): string {
  const [program, ...commands] = all
  const lines = [
    `.TH INFERENCE\\-STUDIO 1 "" "Inference Studio ${roff(version)}" "${roff(help('man.manual'))}"`,
    `.SH ${help('man.name')}`,
    `inference\\-studio \\- ${roff(program?.about ?? '')}`,
    `.SH ${help('man.synopsis')}`,
    '.B inference\\-studio',
    `.I ${help('man.command')}`,
    '[options]',
    `.SH ${help('man.options')}`,
    roff(help('man.everyCommand')),
    ...optionLines(program),
    `.SH ${help('man.commands')}`,
    ...commands.flatMap((one) => [
      `.SS "inference\\-studio ${roff(one.usage)}"`,
      roff(one.about),
      ...one.arguments.flatMap(({ name, about }) => ['.TP', `.I ${roff(name)}`, roff(about)]),
      ...optionLines(one),
      ...(one.examples.length > 0 ? ['.PP', help('words.examples'), '.EX', ...one.examples.map(roff), '.EE'] : []),
    ]),
    `.SH ${help('man.exitStatus')}`,
    ...exitCodeTable().flatMap(([code, meaning]) => ['.TP', `.B ${roff(code)}`, roff(meaning)]),
    `.SH ${help('man.environment')}`,
    '.TP',
    '.B INFERENCE_STUDIO_DATA_DIR',
    roff(help('man.dataDir')),
    '.TP',
    '.B INFERENCE_STUDIO_API_KEY',
    roff(help('man.apiKey')),
  ]
  return `${lines.join('\n')}\n`
}

const optionLines = (command: DescribedCommand | undefined): string[] =>
  (command?.options ?? []).flatMap(({ flags, about }) => ['.TP', `.B ${roff(flags)}`, roff(about)])
