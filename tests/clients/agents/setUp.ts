import { shellWord } from './shell.ts'
import type { Studio } from './studio.ts'
import { type Agent, model } from './table.ts'

/** Adds the studio's MCP server to a program that is set up already. Its results are saved in `folder`. */
export async function addTools({ setup }: Agent, studio: Studio, home: string, folder: string): Promise<void> {
  await studio.command([...connect(setup, studio), '--tools'], home)
  await studio.command(['apps', 'set', setup, '--tool-output', folder], home)
}

const connect = (setup: string, { baseUrl }: Studio): string[] => [
  ...['apps', 'connect', setup, '--program', setup, '--model', model],
  ...['--api-port', new URL(baseUrl).port],
]

/**
 * Sets the program up in `home` with `apps connect`, for an app with the id of the program as its name. Returns the lines that start it, to
 * which arguments are appended.
 */
export async function setUp({ setup, bin }: Agent, studio: Studio, home: string): Promise<string> {
  const shown = await studio.command(connect(setup, studio), home)
  if (typeof shown.file === 'string') return bin
  // A program without a file for an address: its lines are for a terminal, with a placeholder for the key.
  const { key } = await studio.command(['apps', 'add', setup], home)
  return (shown.steps as { text: string }[])
    .map(({ text }) => text.replace("'YOUR_APP_KEY'", shellWord(String(key))))
    .join('\n')
}
