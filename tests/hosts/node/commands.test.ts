import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../../resources/scripts/ready.mjs'
import { commandsOf } from '../../../src-main/hosts/node/commandTable.ts'
import { completionScript, shells } from '../../../src-main/hosts/node/completion.ts'
import { manPage } from '../../../src-main/hosts/node/manPage.ts'
import { exitCodeTable } from '../../../src-main/hosts/node/output.ts'
import { commandLine } from '../../../src-main/hosts/node/program.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { unusedParts } from './fixtures/inProcess.ts'
import { studioEntry } from './fixtures/process.ts'

// The table of commands: its examples run as they are written, and what is made from it names every command and option.

const all = commandsOf(commandLine(unusedParts, () => undefined))
let folder: string
let environment: Record<string, string>

beforeAll(() => {
  folder = temporaryFolder('studio-examples-')
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'inference-studio'), `#!/bin/sh\nexec "${process.execPath}" "${studioEntry}" "$@"\n`)
  chmodSync(join(bin, 'inference-studio'), 0o755)
  environment = {
    HOME: folder,
    TMPDIR: folder,
    PATH: `${bin}:${process.env.PATH}`,
    INFERENCE_STUDIO_DATA_DIR: join(folder, 'data'),
  }
  mkdirSync(join(folder, 'work', 'backups'), { recursive: true })
  cpSync(join(root, 'README.md'), join(folder, 'work', 'README.md'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const shell = (line: string): string =>
  execFileSync('sh', ['-c', line], {
    cwd: join(folder, 'work'),
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })

/** Commands whose examples run until they are stopped, need a person, a running studio or a real service, or change this computer. */
const elsewhere =
  /^(serve|open|sandbox|service|mcp|login|sync|import|self-check|connections|apps (answer|connect|disconnect|set|rotate))\b|--follow|--print|--budget|--app editor/

describe('examples of the help', { tags: 'long', timeout: 180_000 }, () => {
  it('run word for word, one after another', () => {
    shell('inference-studio chat Hello --sandbox')
    const order = ['apps', 'chat', 'speak', 'transcribe', 'image', 'backup', 'export', 'usage', 'restore']
    const rank = (name: string): number => {
      const at = order.indexOf(name.split(' ')[0] ?? '')
      return at < 0 ? order.length : at
    }
    const lines = all
      .filter(({ name }) => !elsewhere.test(name))
      .toSorted((a, b) => rank(a.name) - rank(b.name))
      .flatMap(({ examples }) => examples)
      .filter((line) => !elsewhere.test(line.replace('inference-studio ', '')))
      // The tests of these have their own data.
      .filter((line) => !/ doctor --ignore| (keys|limits|erase) /.test(line))
    expect(lines.length).toBeGreaterThan(15)
    for (const line of lines) {
      if (/restore/.test(line)) continue
      // A keychain is missing where the tests run, which doctor warns of.
      const checked = line.replace('doctor --sandbox', 'doctor --sandbox --ignore-warnings')
      expect(() => shell(checked), line).not.toThrow()
    }
    expect(readdirSync(join(folder, 'work'))).toEqual(
      expect.arrayContaining(['lighthouse.png', 'kite-1.png', 'kite-2.png', 'morning.mp3', 'readme.wav', 'usage.csv']),
    )
    expect(readFileSync(join(folder, 'work', 'morning.vtt'), 'utf8')).toMatch(/^WEBVTT/)
    expect(existsSync(join(folder, 'work', 'studio.tar.zst'))).toBe(true)
    for (const line of [
      'inference-studio restore studio.tar.zst --yes',
      'inference-studio restore - --yes < studio.tar.gz',
    ])
      expect(shell(line)).toContain('Restored the backup')
  })
})

describe('what is made from the table', () => {
  it.each(shells)('the completion of %s has every command and every option', (name) => {
    const script = completionScript(name, all)
    for (const command of all)
      for (const { long } of command.options) expect(script).toContain(name === 'fish' ? long.slice(2) : long)
  })

  it('the man page has every command, its examples and all exit codes', () => {
    const page = manPage(all, '1.2.3').replaceAll('\\-', '-')
    for (const { usage, examples } of all.slice(1)) {
      expect(page).toContain(`.SS "inference-studio ${usage}"`)
      for (const example of examples) expect(page).toContain(example)
    }
    for (const [code] of exitCodeTable()) expect(page).toContain(`.B ${code}`)
  })

  it('the guide has the table of exit codes', () => {
    const guide = readFileSync(join(root, 'docs/guide/command-line.md'), 'utf8')
    for (const [code, meaning] of exitCodeTable())
      expect(guide).toContain(
        `| ${code} | ${meaning
          .replaceAll(/"([^"]+)"/g, '`$1`')
          .replace('--json', '`--json`')
          .replace('--yes', '`--yes`')} |`,
      )
  })
})
