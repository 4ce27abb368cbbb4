import fc from 'fast-check'
import { expect, test } from 'vitest'
import { edited } from '../../../../src-main/core/upstream/request/askForUsage.ts'
import { RequestScan } from '../../../../src-main/core/upstream/request/parameters.ts'
import { tries } from '../../../helpers/effort.ts'

const name = fc.constantFrom('stop', 'max_tokens', 'max_completion_tokens', 'model', 'x', 'Stop', 'STOP')
const value = fc.oneof(
  fc.string(),
  fc.integer({ min: -2, max: 9 }),
  fc.constant(null),
  fc.double(),
  fc.jsonValue({ maxDepth: 2 }),
)
const space = fc.constantFrom('', ' ', '\n', '\t ')
/** A body with repeated keys and white space. */
const body = fc
  .array(fc.tuple(space, name, space, value), { maxLength: 6 })
  .map(
    (members) =>
      `{${members.map(([a, key, b, it]) => `${a}${JSON.stringify(key)}${b}:${b}${JSON.stringify(it)}${a}`).join(',')}}`,
  )

test('an adapted request is the same object but for the adapted fields, and its other bytes are the same', () => {
  fc.assert(
    fc.property(body, fc.array(fc.nat(300), { maxLength: 5 }), (text, cuts) => {
      const bytes = Buffer.from(text)
      const scan = new RequestScan('chat')
      let from = 0
      for (const to of [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
        scan.push(bytes.subarray(from, to))
        from = to
      }
      const { adaptations } = scan.asked()
      const before = JSON.parse(text) as Record<string, unknown>
      const edits = adaptations.flatMap((one) => one.edits)
      const after = JSON.parse(edited(bytes, edits).toString()) as Record<string, unknown>
      const expected = { ...before }
      for (const { field } of adaptations) {
        expected[field] = field === 'stop' ? [before.stop] : before.max_completion_tokens
      }
      expect(after).toEqual(expected)
      for (const { from: at, to } of edits) expect(['', 'null']).toContain(text.slice(at, to))
      // Undone from the start on, the bytes are those of the app.
      let left = edited(bytes, edits)
      for (const { from: at, to, text: put } of edits.toSorted((a, b) => a.from - b.from)) {
        const rest = left.subarray(at + Buffer.byteLength(put))
        left = Buffer.concat([left.subarray(0, at), bytes.subarray(at, to), rest])
      }
      expect(left.toString()).toBe(text)
    }),
    { numRuns: tries(300, 3000) },
  )
})
