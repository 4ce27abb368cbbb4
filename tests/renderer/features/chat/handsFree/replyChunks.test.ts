import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextChunk } from '../../../../../src-renderer/features/chat/handsFree/replyChunks.ts'
import { seed } from '../../../../helpers/random.ts'

/** All pieces of a reply whose parts end at `cuts`. */
function chunks(reply: string, cuts: readonly number[] = [], more = true): string[] {
  const found: string[] = []
  let from = 0
  for (const end of [...cuts.filter((at) => at < reply.length).toSorted((a, b) => a - b), reply.length]) {
    const done = end === reply.length
    for (
      let next = nextChunk(reply.slice(0, end), from, done, more);
      next;
      next = nextChunk(reply.slice(0, end), from, done, more)
    ) {
      found.push(next.text)
      from = next.to
    }
  }
  return found
}

test('the first sentence is ready as soon as the next one begins', () => {
  expect(nextChunk('The ferry leaves at seven.', 0, false, false)).toBeNull()
  expect(nextChunk('The ferry leaves at seven. I', 0, false, false)?.text).toBe('The ferry leaves at seven.')
  expect(nextChunk('The ferry leaves at seven', 0, true, false)?.text).toBe('The ferry leaves at seven')
})

test('a long first sentence begins with its first clauses before it is complete', () => {
  const long = 'On a day with a calm sea, good sight and little wind from the west, the ferry needs about two hours'
  expect(nextChunk(long.slice(0, 80), 0, false, false)).toBeNull()
  expect(nextChunk(long, 0, false, false)?.text).toBe(
    'On a day with a calm sea, good sight and little wind from the west,',
  )
  // Only the first piece: the others have time while it plays.
  expect(nextChunk(long, 0, false, true)).toBeNull()
  expect(
    nextChunk(
      `It costs 1,000,000 **crowns, which many people find rather a lot of money ${'x'.repeat(60)}`,
      0,
      false,
      false,
    ),
  ).toBeNull()
})

test('a long first sentence of Japanese, Chinese or Arabic begins with its clauses too, and a short one is a piece', () => {
  // 58 characters, which take as long to say as 110 Latin letters.
  const japanese =
    '天気がよく風も弱い日には、西の港から島までの船はおよそ二時間で着きますが、波が高い日にはそれよりも長くかかることがありますので'
  expect(nextChunk(japanese, 0, false, false)?.text).toBe(
    '天気がよく風も弱い日には、西の港から島までの船はおよそ二時間で着きますが、',
  )
  const arabic = 'في يوم هادئ البحر والرياح فيه ضعيفة من جهة الغرب، تحتاج العبارة إلى ساعتين تقريبًا حتى تصل إلى الجزيرة'
  expect(nextChunk(arabic, 0, false, false)?.text).toBe('في يوم هادئ البحر والرياح فيه ضعيفة من جهة الغرب،')
  expect(nextChunk('船は七時に出ます。次', 0, false, false)?.text).toBe('船は七時に出ます。')
  expect(nextChunk('هل تسافر غدًا؟ نعم', 0, false, false)?.text).toBe('هل تسافر غدًا؟')
})

test('later sentences of a paragraph are one piece, up to 400 characters', () => {
  const sentence = 'The ferry leaves the harbour at seven in the morning, and comes back in the evening. '
  expect(chunks(sentence.repeat(6).trim()).map(({ length }) => length)).toEqual([339, 169])
  expect(chunks(sentence.repeat(3).trim(), [], false)).toHaveLength(3)
})

test('paragraphs, list items and code blocks are pieces of their own; code is not read', () => {
  const reply = 'Do this:\n\n1. Open the file.\n2. Save it.\n\n```ts\nconst a = 1. + 2.\n\nrun()\n```\nThat is all.'
  expect(chunks(reply)).toEqual(['Do this:', '1. Open the file.\n2. Save it.', '```ts\n```', 'That is all.'])
})

test('an open code block waits for its end', () => {
  expect(nextChunk('```ts\nconst a = 1\n', 0, false, true)).toBeNull()
  expect(nextChunk('```ts\nconst a = 1\n', 0, true, true)?.text).toBe('```ts\n```')
})

test('sentences inside of emphasis, code and formulas stay together', () => {
  expect(chunks('It says **Stop here. Go back.** And then it ends.', [], false)).toEqual([
    'It says **Stop here. Go back.**',
    'And then it ends.',
  ])
})

test('a long text without an end of a sentence, or in open emphasis, is spoken in parts', () => {
  for (const reply of ['word '.repeat(2_000), `**${'It is so. '.repeat(1_000)}`, '日本語'.repeat(1_000)]) {
    const found = chunks(reply, [reply.length - 1])
    expect(found.length).toBeGreaterThan(1)
    for (const piece of found) expect(piece.length).toBeLessThanOrEqual(2_000)
    expect(found.join(' ').replace(/\s/g, '')).toBe(reply.replace(/\s/g, ''))
  }
  expect(chunks('word '.repeat(2_000)).every((piece) => /^(?:word ?)+$/.test(piece))).toBe(true)
})

test('the work for a piece does not grow with the paragraph', () => {
  const cpuOf = (sentences: number): number => {
    const reply = `**${'It is so. '.repeat(sentences)}`
    const before = process.cpuUsage()
    nextChunk(reply, 0, false, true)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
  cpuOf(1_000)
  // One of 1.1 million characters.
  expect(cpuOf(100_000)).toBeLessThan(500)
})

test('every word is in exactly one piece, in order, however the reply is divided', () => {
  const part = fc.constantFrom(
    'The sun. ',
    'Is it? ',
    '**bold. text** ',
    '`a. b` ',
    '\n',
    '\n\n',
    '- item\n',
    '1. x\n',
    'Größe 3.14 ',
    '日本語。',
    '$$x. y$$ ',
  )
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 30 }),
      fc.array(fc.nat(300), { maxLength: 20 }),
      fc.boolean(),
      (parts, cuts, more) => {
        const reply = parts.join('')
        const words = (text: string) => text.replace(/\s/g, '')
        expect(words(chunks(reply, cuts, more).join(''))).toBe(words(reply))
      },
    ),
    { seed, numRuns: 1_000 },
  )
})
