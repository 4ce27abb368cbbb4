import { InvalidArgumentError, Option } from 'commander'

// Options and checks of arguments that more than one command has.

export const json = (): Option => new Option('--json', 'JSON on standard output, one document a line').default(false)

/** An empty name (an unset variable of a shell) would mean the current folder. */
export const dataFolder = (about = 'the data folder'): Option =>
  new Option('--data-dir <dir>', about).argParser(nonEmpty)

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

export function day(text: string): string {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  // JavaScript rolls the 30th of February over.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text) {
    throw new InvalidArgumentError('A day such as 2026-11-21.')
  }
  return text
}
