// @long Starts several programs. tests/core/data and tests/hosts/node/output.test.ts show backup and restore.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { needs } from '../../helpers/programs.mjs'
import { studioEntry } from './fixtures/process.ts'
import { testCommandLine } from './fixtures/testCommandLine.ts'

// Without a session bus no keychain answers. Neither command needs one.
const cli = testCommandLine({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' })
const { start, run, home } = cli

const here = (...args: string[]) => run([...args, '--data-dir', cli.dataDir])
const toolsOf = async (): Promise<string[]> =>
  (await here('apps', 'list', '--json')).stdout
    .split('\n')
    .flatMap((line) => (line === '' ? [] : JSON.parse(line)))
    .map(({ name }) => name)

it('a backup beside a running studio and a restore after its end: a later app is gone, and the replaced data is set aside', {
  timeout: 120_000,
}, async () => {
  const serving = start(['serve', '--json', '--no-web', '--api-port', '0', '--sandbox', '--data-dir', cli.dataDir])
  const { sandbox } = JSON.parse(await serving.line())
  await here('apps', 'add', 'An editor')
  const file = join(home, 'kept.tar')
  const made = await here('backup', file, '--json')
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(made.stdout)).toMatchObject({
    file,
    version: expect.any(String),
    counts: expect.arrayContaining([{ thing: 'tools', count: 1 }]),
  })
  // No folder contains the API key in use.
  expect(readFileSync(file).includes(sandbox.apiKey)).toBe(false)

  const again = await here('backup', file)
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(again.stderr).toMatch(/exists already.*--force/)
  expect(await here('backup', file, '--force')).toMatchObject({ code: 0 })
  expect((await here('backup', join(cli.dataDir, 'inside.tar'))).stderr).toMatch(/outside/)

  await here('apps', 'add', 'Another')
  expect((await here('restore', file, '--yes')).stderr).toMatch(/already uses the data folder/)
  serving.child.kill('SIGTERM')
  await serving.ended

  const asked = await here('restore', file)
  expect(asked).toMatchObject({ code: 1, stdout: '' })
  expect(asked.stderr).toMatch(/The backup is valid .*1 app.* --yes/)
  expect(await toolsOf()).toEqual(['Another', 'An editor'])
  const restored = await here('restore', file, '--yes', '--json')
  expect(restored).toMatchObject({ code: 0, stderr: '' })
  const { keptAt } = JSON.parse(restored.stdout)
  expect(await toolsOf()).toEqual(['An editor'])
  expect(readdirSync(keptAt)).toContain('studio.sqlite')
})

it('backup writes to standard output, and restore refuses other files without changing anything', {
  ...needs('posix'),
  timeout: 120_000,
}, async () => {
  await here('apps', 'add', 'An editor')
  const file = join(home, 'piped.tar')
  execFileSync(
    'sh',
    ['-c', '"$0" "$1" backup - --data-dir "$2" > "$3"', process.execPath, studioEntry, cli.dataDir, file],
    { stdio: 'pipe' },
  )
  const other = mkdtempSync(join(home, 'other-'))
  expect(await run(['restore', file, '--yes', '--data-dir', other])).toMatchObject({ code: 0 })
  expect(existsSync(join(other, 'studio.sqlite'))).toBe(true)
  const wrong = await run(['restore', studioEntry, '--yes', '--data-dir', other])
  expect(wrong).toMatchObject({ code: 1, stdout: '' })
  expect(wrong.stderr).toMatch(/not a complete backup.*Nothing was changed/)
  expect((await run(['backup', '--data-dir', mkdtempSync(join(home, 'empty-'))])).stderr).toMatch(/nothing to back up/)
})
