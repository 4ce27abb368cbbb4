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
    `.TH INFERENCE\\-STUDIO 1 "" "Inference Studio ${roff(version)}" "User Commands"`,
    '.SH NAME',
    `inference\\-studio \\- ${roff(program?.about ?? '')}`,
    '.SH SYNOPSIS',
    '.B inference\\-studio',
    '.I command',
    '[options]',
    '.SH OPTIONS',
    'These work with every command.',
    ...optionLines(program),
    '.SH COMMANDS',
    ...commands.flatMap((one) => [
      `.SS "inference\\-studio ${roff(one.usage)}"`,
      roff(one.about),
      ...one.arguments.flatMap(({ name, about }) => ['.TP', `.I ${roff(name)}`, roff(about)]),
      ...optionLines(one),
      ...(one.examples.length > 0 ? ['.PP', 'Examples:', '.EX', ...one.examples.map(roff), '.EE'] : []),
    ]),
    '.SH EXIT STATUS',
    ...exitCodeTable.flatMap(([code, meaning]) => ['.TP', `.B ${roff(code)}`, roff(meaning)]),
    '.SH ENVIRONMENT',
    '.TP',
    '.B INFERENCE_STUDIO_DATA_DIR',
    'Data folder of every command.',
    '.TP',
    '.B INFERENCE_STUDIO_API_KEY',
    roff('API key for --base-url, unless another source is named.'),
  ]
  return `${lines.join('\n')}\n`
}

const optionLines = (command: DescribedCommand | undefined): string[] =>
  (command?.options ?? []).flatMap(({ flags, about }) => ['.TP', `.B ${roff(flags)}`, roff(about)])
