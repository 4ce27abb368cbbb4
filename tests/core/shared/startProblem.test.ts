import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startProblem } from '../../../src-main/core/shared/startProblem.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

/** Another user, for a folder that root could read. */
const nobody = 65_534
const isRoot = process.getuid?.() === 0

let home: string
const at = (...names: string[]): string => join(home, ...names)

beforeAll(() => {
  home = temporaryFolder('studio-start-')
  chmodSync(home, 0o755)
  for (const name of ['closed', 'open', 'shadow', join('shadow', 'tool')]) mkdirSync(at(name))
  writeFileSync(at('closed', 'tool'), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(at('open', 'plain'), 'text', { mode: 0o644 })
  writeFileSync(at('open', 'script'), '#!/no/such/interpreter\n', { mode: 0o755 })
  chmodSync(at('closed'), 0o000)
})
// An ordinary user can't delete what is in a folder without permissions.
afterAll(() => chmodSync(at('closed'), 0o755))

/** Starts the command, which must fail, and returns the sentence. */
async function wordsFor(command: string, path: string, cwd = at('open')): Promise<string> {
  try {
    // Node throws some errors of the system at once, and emits the others.
    await once(spawn(command, { cwd, env: { PATH: path }, stdio: 'ignore' }), 'exit')
    throw new Error(`${command} has started`)
  } catch (thrown) {
    return startProblem(thrown, command, { path, cwd }).message
  }
}

describe.skipIf(process.platform === 'win32')('a program that does not start', () => {
  it.each([
    ['is not found', () => wordsFor('tool', at('open')), 'The command “tool” was not found on this computer.'],
    ['is a folder', () => wordsFor('tool', at('shadow')), 'The command “tool” was not found on this computer.'],
    ['is not found after a file', () => wordsFor('tool', at('open', 'plain')), /was not found/],
    ['may not be run', () => wordsFor('plain', at('open')), 'The command “plain” is not allowed to run.'],
    ['may not be run, by its path', () => wordsFor('./plain', ''), 'The command “./plain” is not allowed to run.'],
    ['is found after a folder', () => wordsFor('plain', `${at('shadow')}:${at('open')}`), /is not allowed to run/],
    [
      'has no interpreter',
      () => wordsFor('script', at('open')),
      /was found at .+script, but the interpreter .+ is missing/,
    ],
    ['starts in no folder', () => wordsFor('sh', '/bin', at('none')), /^The folder .+none does not exist\.$/],
    ['starts in a file', () => wordsFor('sh', '/bin', at('open', 'plain')), /plain is not a folder\.$/],
  ])('because it %s says so', async (_, words, expected) => {
    expect(await words()).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected))
  })

  it('keeps other reasons of the system', () => {
    const error = Object.assign(new Error('spawn E2BIG'), { code: 'E2BIG' })
    expect(startProblem(error, 'a', { path: '' }).message).toBe('The command “a” could not be started: spawn E2BIG.')
  })

  // Root can read every folder: there, another process of an ordinary user asks.
  it('was not found, where a folder of the PATH can’t be read', async () => {
    const script = `
      import { spawn } from 'node:child_process'
      import { startProblem } from ${JSON.stringify(new URL('../../../src-main/core/shared/startProblem.ts', import.meta.url).href)}
      const [path, cwd, ...commands] = process.argv.slice(1)
      if (${isRoot}) process.setuid(${nobody})
      for (const command of commands) {
        const child = spawn(command, { cwd, env: { PATH: path }, stdio: 'ignore' })
        child.once('error', (error) => console.log(error.code, startProblem(error, command, { path, cwd }).message))
        await new Promise((resolve) => child.once('error', resolve))
      }`
    const args = ['--input-type=module', '-e', script, `${at('closed')}:${at('open')}`, at('open')]
    const child = spawn(process.execPath, [...args, 'tool', 'plain', at('closed', 'tool')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const said = await child.stdout.setEncoding('utf8').toArray()
    expect(said.join('').trimEnd().split('\n')).toEqual([
      'EACCES The command “tool” was not found on this computer.',
      'EACCES The command “plain” is not allowed to run.',
      `EACCES The command “${at('closed', 'tool')}” is not allowed to run.`,
    ])
  })
})
