import { readFileSync, writeFileSync } from 'node:fs'
import { shellWord } from './shell.ts'
import type { Studio } from './studio.ts'
import { type Agent, model } from './table.ts'

/**
 * Sets the program up in `home` with `apps connect`, for an app with the id of the program as its name. Returns the lines that start it, to
 * which arguments are appended.
 */
export async function setUp({ setup, bin }: Agent, studio: Studio, home: string): Promise<string> {
  const shown = await studio.command(['apps', 'connect', setup, '--program', setup, '--model', model], home)
  if (typeof shown.file === 'string') {
    // `apps connect` writes the port of the settings. This studio listens on another one.
    const text = readFileSync(shown.file, 'utf8')
    writeFileSync(shown.file, text.replaceAll('http://127.0.0.1:8787', new URL(studio.baseUrl).origin))
    return bin
  }
  // A program without a file for an address. Its lines are for a terminal, with placeholders for the key and this port.
  const { key } = await studio.command(['apps', 'add', setup], home)
  const lines = (shown.steps as { text: string }[]).map(({ text }) =>
    text
      .replace(`'YOUR_APP_KEY'`, shellWord(String(key)))
      .replaceAll('http://127.0.0.1:8787', new URL(studio.baseUrl).origin),
  )
  return lines.join('\n')
}
