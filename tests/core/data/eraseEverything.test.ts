import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eraseKeys, eraseOrdered, orderErasure } from '../../../src-main/core/data/eraseEverything.ts'
import { inspectFolder } from '../../../src-main/core/store/dataFolder.ts'
import { open, service } from '../features/connections/helpers.ts'
import { freshFolder, memorySecrets } from '../helpers/core.ts'
import { filledFolder } from './fill.ts'

const log = () => undefined
const left = (dataDir: string): string[] =>
  readdirSync(dataDir).filter((name) => !/^(?:studio\.(?:lock|folder\.json)|README\.txt)$/.test(name))

it('nothing is deleted before the next start, which deletes every database, file and key, and keeps the folder', async () => {
  const red = await service('red')
  const secrets = memorySecrets()
  const dataDir = filledFolder({ conversations: 5, messages: 10, requests: 50 })
  const first = await open({ dataDir, secrets })
  await first.core.connection.login({ baseUrl: red.baseUrl, key: red.apiKey })
  expect(secrets.kept.size).toBe(1)
  mkdirSync(join(dataDir, 'replaced', '2026-01-02T03-04-05Z'), { recursive: true })
  expect(await first.client.data.deleteEverything()).toEqual({ restarting: false })
  expect(first.core.state().profiles).not.toEqual([])
  await first.core.stop()

  const again = await open({ dataDir, secrets })
  expect(again.core.state().profiles).toEqual([])
  await expect.poll(() => secrets.kept.size).toBe(0)
  await expect.poll(() => existsSync(join(dataDir, 'studio.erase.json'))).toBe(false)
  expect(existsSync(join(dataDir, 'replaced'))).toBe(false)
  expect(readdirSync(join(dataDir, 'media'))).toEqual([])
  expect(inspectFolder(dataDir)).toBe('ours')
  await again.core.stop()

  // A third start finds no pending deletion, and does not delete data created since.
  const kept = await open({ dataDir, secrets })
  await kept.core.connection.login({ baseUrl: red.baseUrl, key: red.apiKey })
  await kept.core.stop()
  const last = await open({ dataDir, secrets })
  expect(last.core.state().profiles).toHaveLength(1)
})

it('files of other programs and the targets of links stay', async () => {
  const dataDir = filledFolder({ conversations: 1, messages: 1, requests: 1 })
  const outside = freshFolder()
  writeFileSync(join(outside, 'theirs.txt'), 'theirs')
  cpSync(join(dataDir, 'studio.sqlite'), join(outside, 'studio.sqlite'))
  mkdirSync(join(dataDir, 'media'), { recursive: true })
  writeFileSync(join(dataDir, 'media', 'holiday.jpg'), 'theirs')
  writeFileSync(join(dataDir, 'notes.txt'), 'theirs')
  symlinkSync(outside, join(dataDir, 'making-link'))
  symlinkSync(outside, join(dataDir, 'damaged'))
  await orderErasure(dataDir, memorySecrets(), [])
  eraseOrdered(dataDir)
  expect(readdirSync(outside).sort()).toEqual(['studio.sqlite', 'theirs.txt'])
  expect(readdirSync(join(dataDir, 'media'))).toEqual(['holiday.jpg'])
  expect(left(dataDir).sort()).toEqual(['damaged', 'making-link', 'media', 'notes.txt', 'studio.erase.json'])
})

it('with a locked keychain nothing is deleted; one that locks later is tried again, and new data stays', async () => {
  const dataDir = filledFolder({ conversations: 1, messages: 1, requests: 1 })
  await expect(orderErasure(dataDir, memorySecrets('locked'), ['one'])).rejects.toMatchObject({
    kind: 'keychain_locked',
  })
  eraseOrdered(dataDir)
  expect(existsSync(join(dataDir, 'studio.sqlite'))).toBe(true)

  const secrets = memorySecrets()
  secrets.kept.set('one', 'key')
  await orderErasure(dataDir, secrets, ['one'])
  eraseOrdered(dataDir)
  await eraseKeys(dataDir, memorySecrets('locked'), log)
  writeFileSync(join(dataDir, 'studio.sqlite'), 'new data')
  eraseOrdered(dataDir)
  expect(existsSync(join(dataDir, 'studio.sqlite'))).toBe(true)
  await eraseKeys(dataDir, secrets, log)
  expect(secrets.kept.size).toBe(0)
  expect(existsSync(join(dataDir, 'studio.erase.json'))).toBe(false)
})
