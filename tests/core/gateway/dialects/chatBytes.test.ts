// @isolated measures the memory of its process
import { expect, it } from 'vitest'
import {
  chatBytesOf,
  parseObject,
  replyTranslation,
  type TranslatedAction,
} from '../../../../src-main/core/gateway/dialects/chatBytes.ts'
import { nothingStored } from '../../../../src-main/core/gateway/dialects/responses/inputItems.ts'
import type { DialectId } from '../../../../src-main/core/gateway/dialects/types.ts'
import { heap } from '../../upstream/reply/helpers/heap.ts'

const megabyte = 1024 * 1024
const said = [{ role: 'user', content: 'x'.repeat(megabyte) }]

/** What remains of a request while its reply runs. In a function of its own, so that none of its variables remains. */
function translated(dialect: DialectId, action: TranslatedAction, conversation: object) {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', ...conversation }))
  const options = { dialect, action, modelMap: [], replyId: 'resp_1', length: bytes.length, stored: nothingStored }
  return replyTranslation(options.dialect, chatBytesOf(parseObject(bytes), options))
}

it.each<[DialectId, TranslatedAction, object]>([
  ['responses', 'create', { input: said, store: false }],
  ['responses', 'turn', { input: said }],
  ['messages', 'create', { messages: said }],
])('a running reply of %s (%s) refers to no part of its conversation', (dialect, action, conversation) => {
  const before = heap()
  const requests = Array.from({ length: 8 }, () => translated(dialect, action, conversation))
  // The engine itself may keep the last text or two.
  expect(heap() - before).toBeLessThan(3 * megabyte)
  expect(requests).toHaveLength(8)
})
