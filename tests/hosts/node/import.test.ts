import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { testCommandLine } from './fixtures/testCommandLine.ts'

const cli = testCommandLine({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' })

it('import brings the chats of a file, and names those that it leaves out', async () => {
  const message = { id: 'a', author: { role: 'user' }, content: { content_type: 'text', parts: ['Hello'] } }
  const good = { title: 'Good', current_node: 'a', mapping: { a: { id: 'a', parent: null, children: [], message } } }
  const file = join(cli.home, 'conversations.json')
  writeFileSync(file, JSON.stringify([{ title: 'Shell' }, good]))
  const first = await cli.run(['import', file, '--data-dir', cli.dataDir])
  expect(first).toMatchObject({ code: 1, stdout: 'Imported 1 chat, 1 message, 0 images.\n' })
  expect(first.stderr).toContain('“Shell” was left out: It has no messages.')
  const again = await cli.run(['import', file, '--data-dir', cli.dataDir, '--json'])
  expect(JSON.parse(again.stdout)).toMatchObject({
    conversations: 0,
    known: 1,
    leftOut: [
      {
        ...{ title: 'Shell', titleCode: null, reason: 'It has no messages.' },
        reasonCode: { code: 'notes:file.empty', values: {} },
      },
    ],
    noteCodes: [],
  })
  writeFileSync(file, 'nothing')
  const refused = await cli.run(['import', file, '--data-dir', cli.dataDir])
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('neither an export of Inference Studio nor one of ChatGPT')
})
