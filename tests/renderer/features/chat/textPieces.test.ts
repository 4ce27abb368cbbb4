import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textPieces } from '../../../../src-renderer/features/chat/textPieces.ts'

test('a paragraph of several thousand characters is one piece, because each piece starts a new line', () => {
  const paragraph = 'Tell me about lighthouses and the sea. '.repeat(200)
  expect(textPieces(`Before.\n${paragraph}\nAfter.`).map((piece) => piece.length)).toEqual([8, paragraph.length + 1, 6])
})

test('a longer paragraph is divided between words, and a text without spaces between characters', () => {
  const words = textPieces('word '.repeat(30_000))
  expect(words.length).toBeGreaterThan(3)
  for (const piece of words) expect(piece).toMatch(/^word .*word $/)
  for (const piece of textPieces('😀'.repeat(30_000))) expect(piece).toMatch(/^(😀)+$/u)
})

test('pieces are the text again, none of them is empty, and none exceeds its limit', () => {
  const line = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.integer({ min: 1, max: 50_000 }).map((length) => 'a b 😀'.repeat(length / 5)),
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      const text = lines.join('\n')
      const pieces = textPieces(text)
      expect(pieces.join('')).toBe(text)
      for (const { length } of pieces) {
        expect(length).toBeGreaterThan(0)
        expect(length).toBeLessThanOrEqual(20_000)
      }
    }),
  )
})
