// @long Starts several programs. tests/core/features/archive shows the same merges.

import { mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { testCommandLine } from './fixtures/testCommandLine.ts'

const cli = testCommandLine({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' })

it('sync carries a chat to another data folder, and says which file is incomplete', async () => {
  const other = mkdtempSync(join(cli.home, 'other-'))
  const folder = mkdtempSync(join(cli.home, 'shared-'))
  const sync = (dataDir: string, ...args: string[]) => cli.run(['sync', folder, '--data-dir', dataDir, ...args])
  expect(await cli.run(['chat', 'Hello', '--sandbox', '--data-dir', cli.dataDir])).toMatchObject({ code: 0 })
  const first = await sync(cli.dataDir)
  expect(first).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Wrote .*inference-studio-[\da-f-]+\.zip\.$/m),
  })
  const [name = ''] = readdirSync(folder)
  const whole = readFileSync(join(folder, name))
  truncateSync(join(folder, name), whole.length - 40)
  const refused = await sync(other)
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain(`${name} was not merged: The file is damaged or cut off.`)
  writeFileSync(join(folder, name), whole)
  const merged = JSON.parse((await sync(other, '--json')).stdout)
  expect(merged).toMatchObject({ files: [{ name, outcome: 'merged', added: 1, messages: 2 }], notes: [] })
  const shown = await cli.run(['export', '--what', 'chats', '--format', 'markdown', '--data-dir', other])
  expect(shown.stdout).toContain('Hello')
})
