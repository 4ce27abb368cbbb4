// @long Kills a process again and again.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { checkFile, studioDatabase } from '../../../../src-main/core/store/database.ts'
import { databaseFile } from '../../../../src-main/core/store/store.ts'
import { tries } from '../../../helpers/effort.ts'
import { randomNumbers } from '../../../helpers/random.ts'
import { freshFolder } from '../../helpers/core.ts'
import { message, openStudio, put, type Studio } from './studio.ts'

const program = fileURLToPath(new URL('fixtures/mergeFolder.ts', import.meta.url))
const chats = 8
const messagesOfChat = 40

/** A chat of one line, and an image in every tenth message. */
async function fill(studio: Studio): Promise<string[]> {
  const ids: string[] = []
  for (let chat = 0; chat < chats; chat += 1) {
    const messages: ReturnType<typeof message>[] = []
    for (let index = 0; index < messagesOfChat; index += 1) {
      const picture =
        index % 10 === 0 ? [{ ...(await studio.picture(chat + 1, index + 1)), detail: 'auto' as const }] : []
      const parentId = messages.at(-1)?.id ?? null
      messages.push(message({ parentId, text: `chat ${chat} message ${index}`, attachments: picture }))
    }
    ids.push(put(studio.store, messages))
  }
  return ids
}

/** Every message of the data folder is on the tree of its chat, and no image is missing. */
async function expectTruth(studio: Studio, ids: readonly string[]): Promise<void> {
  for (const id of studio.store.archive.ids()) {
    expect(ids).toContain(id)
    const path = studio.store.messages.path(studio.store.conversations.get(id).leafId)
    expect(path).toHaveLength(studio.store.conversations.get(id).messages)
    for (const { attachments } of path) for (const { mediaId } of attachments) await studio.media.bytes(mediaId)
  }
}

it('a merge that is killed leaves a database that opens, shows only whole chats, and is complete after the next merge', async () => {
  const source = openStudio()
  const ids = await fill(source)
  const folder = freshFolder()
  await source.archive.sync({ folder })
  await source.close()
  const dataDir = freshFolder()
  const random = randomNumbers()
  for (let round = 0; round < tries(2, 30); round += 1) {
    const merging = spawn(process.execPath, [program, dataDir, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(merging, 'exit')
    for await (const line of createInterface({ input: merging.stdout })) {
      if (line === 'merging') setTimeout(() => merging.kill('SIGKILL'), random() * 400)
    }
    await exited
    expect(checkFile(databaseFile(dataDir), studioDatabase, 'everything')).toEqual({ is: 'good' })
    const opened = openStudio(dataDir)
    await opened.library.sweep()
    await expectTruth(opened, ids)
    for (const id of opened.store.archive.ids()) {
      expect(opened.store.conversations.get(id).messages).toBe(messagesOfChat)
    }
    expect(opened.store.erasures.planned('import')).toEqual([])
    await opened.close()
  }
  const last = openStudio(dataDir)
  await last.archive.sync({ folder })
  expect(last.store.archive.ids().sort()).toEqual(ids.toSorted())
  await expectTruth(last, ids)
  await last.close()
}, 120_000)
