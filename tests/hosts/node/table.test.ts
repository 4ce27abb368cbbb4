import { expect, it, onTestFinished, vi } from 'vitest'
import { sayLines } from '../../../src-main/hosts/node/output.ts'
import { columns, pairLines } from '../../../src-main/hosts/node/table.ts'

/** More than a call takes as arguments. */
const many = 200_000

it('a table of 200,000 rows is aligned and printed whole', () => {
  const rows = Array.from({ length: many }, (_, at) => [`${at}`, at === many - 1 ? 'the widest' : 'x'])
  const lines = columns([['row', 'word'], ...rows], { right: 1 })
  expect([lines.length, lines[1], lines.at(-1)]).toEqual([many + 1, '0                x', '199999  the widest'])
  const written: string[] = []
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  onTestFinished(() => spy.mockRestore())
  sayLines(lines)
  expect(written.join('').split('\n')).toHaveLength(many + 2)
})

it('names and values of 200,000 rows are aligned', () => {
  const rows = Array.from({ length: many }, (_, at) => [`name ${at}`, 'value'] as const)
  expect(pairLines(rows, 80).at(-1)).toBe('name 199999  value')
})
