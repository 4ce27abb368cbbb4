import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { commandsOf } from '../../../src-main/hosts/node/commandTable.ts'
import { completionScript, type Shell, shells } from '../../../src-main/hosts/node/completion.ts'
import { commandLine } from '../../../src-main/hosts/node/program.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { needs } from '../../helpers/programs.mjs'
import { unusedParts } from './fixtures/inProcess.ts'

// The completion scripts in their shells. A stand-in for the program notes with which words a shell ran it.

const all = commandsOf(commandLine(unusedParts, () => undefined))
const folder = temporaryFolder('studio-completion-')
const notes = join(folder, 'notes')

beforeAll(() => {
  mkdirSync(join(folder, 'bin'))
  writeFileSync(
    join(folder, 'bin', 'inference-studio'),
    `#!/bin/sh\nfor word; do printf '%s|' "$word"; done >> '${notes}'\necho >> '${notes}'\n`,
    { mode: 0o755 },
  )
  writeFileSync(join(folder, 'portrait of a cat.png'), '')
  for (const shell of shells) writeFileSync(join(folder, `complete.${shell}`), completionScript(shell, all))
})

/** A line as it is typed, where → is the tabulator key, and the words that the program gets from it. */
const typed: [line: string, words: string[]][] = [
  ['transc→Rec.mp3', ['transcribe', 'Rec.mp3']],
  ['apps rot→editor', ['apps', 'rotate', 'editor']],
  ['backup ver→', ['backup', 'verify']],
  ['chat --sys→x', ['chat', '--system', 'x']],
  ['serve --no-w→', ['serve', '--no-web']],
  ['requests --outcome fai→', ['requests', '--outcome', 'failed']],
  ['apps rotate editor --grace 24→', ['apps', 'rotate', 'editor', '--grace', '24h']],
  ['completion powers→', ['completion', 'powershell']],
  // The value of an option without choices is a file, whatever is in its name.
  ['chat --file portr→', ['chat', '--file', 'portrait of a cat.png']],
  // The name of an app is not a command of the program.
  ['apps show transc→', ['apps', 'show', 'transc']],
]

/** Types lines into an interactive shell, and returns the words that the program got. */
async function ran(start: string, lines: readonly string[]): Promise<string[][]> {
  writeFileSync(notes, '')
  const terminal = spawn('script', ['-qec', start, '/dev/null'], {
    cwd: folder,
    env: {
      HOME: folder,
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      TERM: 'xterm',
      LC_ALL: 'C.UTF-8',
      ZDOTDIR: folder,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  terminal.stdout.resume()
  terminal.stdin.end(lines.map((line) => `${line}\n`).join(''))
  await once(terminal, 'close')
  return readFileSync(notes, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('|').slice(0, -1))
}

describe('the completion of an interactive shell', { timeout: 90_000 }, () => {
  const interactive: [Shell, string, string[], string[]][] = [
    ['bash', 'bash --norc -i', ['source ./complete.bash'], ['posix', 'terminal']],
    ['zsh', 'zsh -f -i', ['autoload -Uz compinit; compinit -u -D; source ./complete.zsh'], ['zsh', 'terminal']],
  ]
  for (const [shell, start, setUp, programs] of interactive)
    it(`${shell} completes commands, options, choices and names of files`, needs(...programs), async () => {
      const lines = typed.map(([line]) => `inference-studio ${line.replaceAll('→', '\t')}`)
      expect(await ran(start, [...setUp, ...lines, 'exit'])).toEqual(typed.map(([, words]) => words))
    })
})

it('fish completes commands, options, choices and names of files, each with what it is', needs('fish'), async () => {
  const complete = async (line: string): Promise<string[]> => {
    const shell = spawn(
      'fish',
      ['--no-config', '-c', 'source ./complete.fish; complete -C "$argv"', `inference-studio ${line}`],
      {
        cwd: folder,
        env: { HOME: folder, PATH: `${join(folder, 'bin')}:${process.env.PATH}`, LC_ALL: 'C.UTF-8' },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    let text = ''
    for (const stream of [shell.stdout, shell.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
    await once(shell, 'close')
    return text.split('\n').filter((one) => one !== '')
  }
  expect(await complete('transc')).toEqual(['transcribe\tTurn a recording into text'])
  for (const [line, words] of typed) {
    const asked = line.slice(0, line.indexOf('→'))
    const place = asked.split(' ').length - 1
    const wanted = asked.startsWith('apps show') ? [] : [words[place]]
    expect([asked, (await complete(asked)).map((one) => one.split('\t')[0]?.replaceAll('\\', ''))]).toEqual([
      asked,
      wanted,
    ])
  }
})

it('the script of PowerShell has every choice of an option', () => {
  const script = completionScript('powershell', all)
  for (const { name, options } of all)
    for (const { long, choices } of options)
      if (choices.length > 0)
        expect(script).toContain(
          `' ${name} ${long}' = @(${choices.map((one) => `'${one}'`).join(', ')})`.replace("'  ", "' "),
        )
})
