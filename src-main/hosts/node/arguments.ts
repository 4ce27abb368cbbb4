import { InvalidArgumentError, Option } from 'commander'

// Options and checks of arguments that more than one command has.

export const json = (): Option => new Option('--json', 'JSON on standard output, one document a line').default(false)

export const dataFolder = (): Option => new Option('--data-dir <dir>', 'the data folder')

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}
