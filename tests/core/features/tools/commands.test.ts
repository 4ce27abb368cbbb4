import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { loginShellPath } from '../../../../src-main/core/features/tools/mcp/loginShell.ts'
import { pathForServers, serverEnvironment } from '../../../../src-main/core/features/tools/mcp/process.ts'
import { windowsCommand } from '../../../../src-main/core/features/tools/mcp/windowsCommand.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  vi.unstubAllEnvs()
})

/** A shell whose start file is this text, run by the real /bin/sh for its last argument. */
function shellWith(startFile: string): string {
  const folder = temporaryFolder('studio-shell-')
  folders.push(folder)
  mkdirSync(folder, { recursive: true })
  const shell = join(folder, 'shell')
  writeFileSync(shell, `#!/bin/sh\n${startFile}\nfor last; do :; done\neval "$last"\n`)
  chmodSync(shell, 0o755)
  return shell
}

describe.skipIf(process.platform === 'win32')('the PATH of a login shell', () => {
  const path = '/usr/bin:/bin'

  test('comes before the folders of this process, each folder once, whatever the start files print', async () => {
    const shell = shellWith('echo "Welcome"; echo PATH=/wrong; export PATH="/home/me/.nvm/bin:/usr/bin"')
    expect(await loginShellPath({ shell, path })).toBe('/home/me/.nvm/bin:/usr/bin:/bin')
  })

  test.each([
    ['waits', 'sleep 60'],
    ['waits in a child that keeps the output open', '(sleep 60) & sleep 60'],
    ['prints without end', 'yes'],
  ])('is given up after the limit when a start file %s', async (_, startFile) => {
    const began = performance.now()
    const found = await loginShellPath({ shell: shellWith(startFile), path, timeoutMs: 300 })
    expect(found).toBe('/usr/bin:/bin:/opt/homebrew/bin:/usr/local/bin')
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  test('does not wait for a process that a start file left running', async () => {
    const shell = shellWith('(sleep 60) &\nexport PATH=/mine')
    expect(await loginShellPath({ shell, path, timeoutMs: 20_000 })).toBe('/mine:/usr/bin:/bin')
  })

  test.each([
    ['does not exist', '/does/not/exist'],
    ['is an invalid path', 'a\0b'],
  ])('of a shell that %s is the one of this process with the usual folders', async (_, shell) => {
    expect(await loginShellPath({ shell, path })).toBe('/usr/bin:/bin:/opt/homebrew/bin:/usr/local/bin')
  })

  test('is asked once, and on macOS only', async () => {
    vi.stubEnv('SHELL', shellWith('export PATH="/asked/$$"'))
    expect(pathForServers('linux')).toBeUndefined()
    expect(pathForServers('win32')).toBeUndefined()
    const first = await pathForServers('darwin')
    expect(first).toMatch(/^\/asked\/\d+:/)
    expect(await pathForServers('darwin')).toBe(first)
    expect(serverEnvironment({}, first).PATH).toBe(first)
    expect(serverEnvironment({ PATH: '/own' }, first).PATH).toBe('/own')
  })
})

describe('a command on Windows', () => {
  const env = {
    Path: 'C:\\Windows\\System32;;"C:\\Program Files\\nodejs"',
    PathExt: '.COM;.EXE;.BAT;.CMD',
    COMSPEC: 'C:\\Windows\\System32\\cmd.exe',
  }
  const files = [
    'C:\\Program Files\\nodejs\\npx.cmd',
    'C:\\Program Files\\nodejs\\npx',
    'C:\\tools\\mine.exe',
    'C:\\work\\npx.cmd',
    'C:\\Program Files\\nodejs\\both.exe',
    'C:\\Program Files\\nodejs\\both.cmd',
  ]
  const exists = (path: string): boolean => files.some((one) => one.toLowerCase() === path.toLowerCase())
  const resolved = (command: string, args: string[] = []) =>
    windowsCommand(command, args, { env, cwd: 'C:\\work', exists })

  test('is found by PATHEXT, never in the current folder, and an .exe runs without a shell', () => {
    expect(resolved('npx').args.at(-1)).toContain('nodejs\\npx.CMD')
    expect(resolved('both', ['a b']).file.toLowerCase()).toBe('c:\\program files\\nodejs\\both.exe')
    expect(resolved('both', ['a b'])).toMatchObject({ args: ['a b'], verbatim: false })
    expect(resolved('..\\tools\\mine')).toMatchObject({ file: 'C:\\tools\\mine.EXE', verbatim: false })
    expect(resolved('mine')).toEqual({ file: 'mine', args: [], verbatim: false })
  })

  test('that is a batch file runs by cmd.exe, and its arguments arrive as they are', () => {
    const { file, args, verbatim } = resolved('npx', ['-y', 'a&calc', '%PATH%', 'say "hi"', ''])
    expect({ file, verbatim, flags: args.slice(0, 3) }).toEqual({
      file: env.COMSPEC,
      verbatim: true,
      flags: ['/d', '/s', '/c'],
    })
    expect(received(args.at(-1) ?? '')).toEqual({
      program: 'C:\\Program Files\\nodejs\\npx.CMD',
      args: ['-y', 'a&calc', '%PATH%', 'say "hi"', ''],
    })
  })

  test('that is a batch file gets any arguments exactly, and can never run a second command', () => {
    const piece = fc.constantFrom('%PATH%', ...'"\\%^&|<>! ();,*aé\t\'`='.split(''))
    const argument = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(fc.array(argument, { maxLength: 4 }), (given) => {
        expect(received(resolved('npx', given).args.at(-1) ?? '').args).toEqual(given)
      }),
      { numRuns: 2000 },
    )
  })

  test('that is a batch file refuses a line break, which would end the command', () => {
    expect(() => resolved('npx', ['a\r\ncalc'])).toThrow(/line break/)
    expect(resolved('both', ['a\nb']).args).toEqual(['a\nb'])
  })

  test('has a configured variable instead of the inherited one of other case', () => {
    expect(Object.keys(serverEnvironment({ Path: 'C:\\mine' }, undefined, 'win32'))).not.toContain('PATH')
    expect(Object.keys(serverEnvironment({ Path: '/mine' }, undefined, 'linux'))).toContain('PATH')
  })
})

/** What the program behind a batch file such as npx.cmd gets from `cmd.exe /s /c LINE`: two readings by cmd.exe, one by the program. */
function received(line: string): { program: string; args: string[] } {
  const first = read(expand(line.slice(1, -1)))
  const [, program = '', rest = ''] = /^"([^"]*)" ?(.*)$/s.exec(first) ?? []
  // `%*` is put in where a batch file has it, and is not expanded again.
  return { program, args: split(read(rest)) }
}

/** Percent signs around a defined variable are replaced, before anything else is read. */
const expand = (line: string): string => line.replaceAll('%PATH%', 'EXPANDED')

/** One reading by cmd.exe: carets outside quotes protect the next character, and operators outside quotes end the command. */
function read(line: string): string {
  let isQuoted = false
  let result = ''
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] ?? ''
    if (letter === '"') isQuoted = !isQuoted
    else if (!isQuoted && letter === '^') {
      at++
      result += line[at] ?? ''
      continue
    } else if (!isQuoted && /[&|<>]/.test(letter)) throw new Error(`A second command: ${line.slice(at)}`)
    result += letter
  }
  return result
}

/** The rules of CommandLineToArgvW: backslashes before a quote are halved, an odd one makes the quote a plain character. */
function split(line: string): string[] {
  const args: string[] = []
  let arg: string | null = null
  let isQuoted = false
  for (const [, slashes = '', quote, space, letter = ''] of line.matchAll(/(\\*)(?:(")|([ \t])|([^\\]|$))/g)) {
    const isPlain = slashes.length % 2 === 1
    const isEnd = space !== undefined && !isQuoted
    if (quote) {
      arg = (arg ?? '') + '\\'.repeat(slashes.length / 2) + (isPlain ? '"' : '')
      isQuoted = isQuoted !== !isPlain
    } else if (isQuoted || slashes + letter !== '') arg = (arg ?? '') + slashes + letter + (isEnd ? '' : (space ?? ''))
    if (!isEnd || arg === null) continue
    args.push(arg)
    arg = null
  }
  return arg === null ? args : [...args, arg]
}
