import { expect, it } from 'vitest'
import { ToolCalls } from '../../../../src-main/core/upstream/reply/toolCalls.ts'
import { slowness } from '../../../helpers/longestTurn.ts'

it.each([
  ['blank', ' ', ''],
  ['a JSON string', 'x', '"'],
])('arguments that are %s cost the same for each piece, however many are held', (_, piece, start) => {
  const calls = new ToolCalls(0)
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
