import { expect, it } from 'vitest'
import type { ExportedMessage } from '../../../../../src-renderer/features/chat/export/conversation.ts'
import type { MarkupTask } from '../../../../../src-renderer/features/chat/export/markupDocument.ts'
import { maxCharsAtOnce, printedAtOnce } from '../../../../../src-renderer/features/chat/export/printedAtOnce.ts'

const message = (id: string, length: number): ExportedMessage => ({
  id,
  parentId: null,
  role: 'assistant',
  name: null,
  model: 'm',
  status: 'complete',
  text: 'x'.repeat(length),
  refusal: '',
  reasoning: '',
  toolCalls: [],
  run: null,
  made: null,
  problem: null,
  attachments: [],
  documents: [],
  createdAt: '2026-01-01T00:00:00.000Z',
})
const taskOf = (messages: readonly ExportedMessage[], instructions = ''): MarkupTask => ({
  conversation: {
    id: 'c',
    title: 'Chat',
    createdAt: '2026-01-01T00:00:00.000Z',
    model: null,
    leafId: null,
    instructions,
    messages: [...messages],
  },
  messages: [...messages],
  versionOf: () => null,
  reasoning: false,
  documentTexts: null,
})
const everywhere = () => true
const idsOf = ({ task }: { task: MarkupTask }) => task.messages.map(({ id }) => id)

it('a chat up to the limit is printed whole, with its instructions', () => {
  const task = taskOf([message('a', maxCharsAtOnce - 10), message('b', 4)], 'Brief.')
  expect(printedAtOnce(task, () => false, true)).toEqual({ task, isPart: false })
})

it('a chat whose earlier messages have not arrived is marked as a part', () => {
  expect(printedAtOnce(taskOf([message('a', 4)]), everywhere, false).isPart).toBe(true)
})

it('a longer chat is printed as far as the window shows it, in order, without what is out of view', () => {
  const task = taskOf([message('a', maxCharsAtOnce), message('b', 4), message('c', 4), message('d', 4)], 'Long.')
  const printed = printedAtOnce(task, (id) => id === 'b' || id === 'c', true)
  expect(printed.isPart).toBe(true)
  expect(idsOf(printed)).toEqual(['b', 'c'])
  expect(printed.task.conversation.instructions).toBe('')
})

it('messages in view end before the limit; one that is longer by itself is printed from its beginning', () => {
  const many = taskOf([message('a', maxCharsAtOnce - 1), message('b', 2), message('c', 1)])
  expect(idsOf(printedAtOnce(many, everywhere, true))).toEqual(['a'])
  const long = printedAtOnce(taskOf([message('a', 10 * maxCharsAtOnce), message('b', 1)]), everywhere, true)
  expect(idsOf(long)).toEqual(['a'])
  expect(long.task.messages[0]?.text).toBe(`${'x'.repeat(maxCharsAtOnce)}…`)
})

it('long instructions count as well', () => {
  const printed = printedAtOnce(taskOf([message('a', 1)], 'x'.repeat(maxCharsAtOnce)), everywhere, true)
  expect(printed.isPart).toBe(true)
  expect(idsOf(printed)).toEqual(['a'])
})
