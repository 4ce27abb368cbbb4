import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newSentences } from '../../../../src-renderer/features/chat/sentences.ts'
import { seed } from '../../../helpers/random.ts'

/** What is announced of a reply whose text is looked at after each of the lengths `cuts`. */
function announced(reply: string, cuts: readonly number[]): { texts: string[]; to: number } {
  const texts: string[] = []
  let to = 0
  for (const end of cuts) {
    const next = newSentences(reply.slice(0, end), to)
    texts.push(...next.texts)
    to = next.to
  }
  return { texts, to }
}

test('whole sentences are announced as they are complete, each once, without Markdown', () => {
  const reply = '# Ferry times\n\nThe **first** ferry leaves at `7`. It is slow. The [second](https://a.example) is'
  expect(newSentences(reply.slice(0, 30), 0).texts).toEqual(['Ferry times.'])
  const { texts, to } = announced(reply, [30, 62, reply.length])
  expect(texts).toEqual(['Ferry times.', 'The first ferry leaves at 7.', 'It is slow.'])
  expect(reply.slice(to)).toBe('The [second](https://a.example) is')
})

test('a code block is named and not read, however long it is', () => {
  const code = `${'const a = 1\n'.repeat(1_000)}`
  const reply = `Here it is:\n\n\`\`\`ts\n${code}\`\`\`\n\nThat is all. `
  const { texts } = announced(`${reply}More`, [20, 9_000, reply.length, reply.length + 4])
  expect(texts.join(' ')).not.toContain('const')
  expect(texts[0]).toBe('Here it is:')
  expect(texts).toContain('That is all.')
})

test('a text without an end of a sentence is announced in parts', () => {
  const { texts } = announced('word '.repeat(2_000), [10_000])
  expect(texts.length).toBeGreaterThan(3)
  expect(texts.join(' ')).toMatch(/^(word ?)+$/)
})

test('nothing is announced twice or left out, however the reply arrives', () => {
  const sentence = fc.constantFrom('A short one. ', 'Is it? ', '**Bold words** here. ', '是的。', 'نعم. ', 'No end ')
  const replies = fc.array(sentence, { minLength: 1, maxLength: 40 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(replies, fc.array(fc.nat(600), { maxLength: 12 }), (reply, some) => {
      const cuts = [...some.filter((at) => at < reply.length).sort((a, b) => a - b), ...Array(20).fill(reply.length)]
      const { texts, to } = announced(reply, cuts)
      const words = (text: string) => text.replace(/[\s*]+/g, '')
      expect(words(texts.join('')) + words(reply.slice(to))).toBe(words(reply))
    }),
    { seed },
  )
})
