import { expect, it } from 'vitest'
import { meant, sendableArguments, ToolCalls } from '../../../../src-main/core/upstream/reply/toolCalls.ts'
import { slowness } from '../../../helpers/longestTurn.ts'

it.each([
  ['blank', ' ', ''],
  ['a JSON string', 'x', '"'],
])('arguments that are %s cost the same for each piece, however many are held', (_, piece, start) => {
  const calls = new ToolCalls(0, { length: 0 })
  const read = (text: string) =>
    calls.read({ index: 0, position: 0, id: 'a', name: 'f', arguments: text })?.arguments ?? null
  const before = process.threadCpuUsage()
  read(start)
  const passed = Array.from({ length: 200_000 }, () => read(piece))
  const { user, system } = process.threadCpuUsage(before)
  expect(passed.every((text) => text === '')).toBe(true)
  expect((user + system) / 1000).toBeLessThan(500 * slowness())
  expect(calls.end()).toHaveLength(1)
})

it('all calls and choices of a reply together hold at most 1 MB of arguments back', () => {
  const held = { length: 0 }
  const choices = Array.from({ length: 4 }, (_, at) => new ToolCalls(at, held))
  const half = `"${'x'.repeat(400_000)}`
  const passed = choices.map((calls) => calls.read({ index: 0, position: 0, id: 'a', name: 'f', arguments: half }))
  expect(passed.map((event) => event?.arguments.length)).toEqual([0, 0, half.length, half.length])
  expect(held.length).toBe(2 * half.length)
  // What has ended makes room for others.
  expect(choices[0]?.end()).toHaveLength(1)
  const next = choices[0]?.read({ index: 1, position: 0, id: 'b', name: 'g', arguments: half })
  expect(next?.arguments).toBe('')
  for (const calls of choices) calls.end()
  expect(held.length).toBe(0)
})

it.each([
  ['{"n":1}', '{"n":1}'],
  [' {"n":1}\n', ' {"n":1}\n'],
  ['', '{}'],
  [' \n', '{}'],
  ['"{\\"n\\":1}"', '{"n":1}'],
  ['{"n":1,}', '{"INVALID_JSON":"{\\"n\\":1,}"}'],
  ['{"n":1} I hope this helps', '{"INVALID_JSON":"{\\"n\\":1} I hope this helps"}'],
  ['[1]', '{"INVALID_JSON":"[1]"}'],
  ['null', '{"INVALID_JSON":"null"}'],
  ['"text"', '{"INVALID_JSON":"\\"text\\""}'],
  ['{"n":', '{"INVALID_JSON":"{\\"n\\":"}'],
])('arguments %j go back to the service as %j, always a JSON object', (args, sent) => {
  expect(sendableArguments(args)).toBe(sent)
})

it('whole arguments that are no object stay as the model wrote them, so that no tool runs with them', () => {
  for (const args of ['{"n":1,}', '[1]', '"text"', '"\\"twice\\""']) expect(meant(args)).toBe(args)
})

it.each([
  ['once', ['tide_height', null, null]],
  ['in pieces', ['tide', '_hei', 'ght']],
  ['whole with each piece', ['tide_height', 'tide_height', 'tide_height']],
  ['longer with each piece', ['ti', 'tide_', 'tide_height']],
])('a name that comes %s is passed on once', (_, names) => {
  const calls = new ToolCalls(0, { length: 0 })
  const passed = names.map((name) => calls.read({ index: 0, position: 0, id: 'a', name, arguments: '' })?.name ?? '')
  expect(passed.join('')).toBe('tide_height')
})
