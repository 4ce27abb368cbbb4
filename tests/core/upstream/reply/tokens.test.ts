import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { countTokens as countOfLibrary } from 'gpt-tokenizer/encoding/cl100k_base'
import { beforeAll, expect, test } from 'vitest'
import { countText } from '../../../../src-main/core/features/chat/context/count.ts'
import {
  countTokens,
  estimateTokens,
  loadTokenizer,
  maxCounted,
} from '../../../../src-main/core/upstream/reply/tokens.ts'
import { loadTokenizer as loadOfSandbox } from '../../../../src-main/sandbox/chat/tokens.ts'
import { onlyLong, tries } from '../../../helpers/effort.ts'
import { countTurns } from '../../../helpers/eventLoop.ts'
import { seed } from '../../../helpers/random.ts'

beforeAll(() => loadTokenizer())

const sourceOf = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), 'utf8')
const prose = sourceOf('docs/security.md')

const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
/** White space of every kind, then what is invisible. */
const blanks = [
  ...characters.filter((one) => /\s/u.test(one)),
  ...onlyLong(...characters.filter((one) => /\p{Cf}/u.test(one))),
]

const plain = { disallowedSpecial: new Set<string>() }

/** ms of processor time, the least of some runs. */
function cpuOf(run: () => unknown, runs: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < runs; turn += 1) {
    const before = process.threadCpuUsage()
    run()
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

const length = 30_000
const ofLength = (unit: string): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
/** How much more a byte of any text may cost than a byte of English text: measured 6 times; 100 and more where the work is not linear. */
const worst = 50

/** Texts of one length: one character repeated, characters of one kind in random order, and mixtures of both. */
function hostileTexts(): fc.Arbitrary<string> {
  const code = (from: number, to: number) => fc.integer({ min: from, max: to }).map((at) => String.fromCodePoint(at))
  const kinds = [
    fc.constantFrom(...blanks),
    code(0x21, 0x7e),
    code(0x61, 0x7a),
    code(0x300, 0x36f),
    code(0xe01, 0xe3a),
    code(0x4e00, 0x9fff),
    code(0xac00, 0xd7a3),
    code(0x1f300, 0x1f5ff),
    code(0x12000, 0x12399),
    code(0xd800, 0xdfff),
    fc.constantFrom('<|endoftext|>', "'ve", '\r\n', 'é', '=', '\u200d'),
  ]
  const run = fc.oneof(...kinds).chain((one) => fc.integer({ min: 1, max: 2_000 }).map((times) => one.repeat(times)))
  const mixture = fc
    .oneof(...kinds.map((kind) => fc.array(kind, { minLength: 300, maxLength: 300 }).map((all) => all.join(''))))
    .chain((text) =>
      fc
        .array(fc.nat(text.length), { minLength: 8, maxLength: 8 })
        .map((cuts) => [text, ...cuts.map((at) => text.slice(at) + text.slice(0, at))].join('')),
    )
  return fc.oneof(
    fc.oneof(...kinds).map(ofLength),
    mixture.map(ofLength),
    fc
      .array(fc.oneof(run, mixture, fc.lorem({ maxCount: 40 })), { minLength: 2, maxLength: 12 })
      .map((all) => ofLength(all.join(''))),
  )
}

/** Cost of each byte of ordinary text, ms. The text is long, because processor time is measured in steps of some milliseconds. */
function ordinaryCost(count: (text: string) => unknown): number {
  const text = prose.repeat(100)
  return cpuOf(() => count(text), 5) / Buffer.byteLength(text)
}

const countAll = (text: string): number => countTokens(text, text.length)

test('every kind of white space costs about as much as ordinary text', () => {
  const each = ordinaryCost(countAll)
  for (const blank of [...blanks, ' \n', '\u00a0 ', '\t\u3000', `${' '.repeat(129)}\n`]) {
    const text = ofLength(blank)
    const cost = cpuOf(() => countTokens(text), 1) / Buffer.byteLength(text)
    expect(cost / each, JSON.stringify(blank)).toBeLessThan(worst)
  }
})

test('no text costs much more than ordinary text of as many bytes, in the application and in the sandbox', async () => {
  const { count } = await loadOfSandbox()
  for (const [counter, limit] of [
    [countAll, worst],
    // By the library, whose merging is slower: measured 20 times.
    [count, 3 * worst],
  ] as const) {
    const each = ordinaryCost(counter)
    fc.assert(
      fc.property(hostileTexts(), (text) => {
        const cost = cpuOf(() => counter(text), 1) / Buffer.byteLength(text)
        expect(cost / each).toBeLessThan(limit)
      }),
      { seed, numRuns: tries(4, 300) },
    )
  }
})

test('counts are those of the library for ordinary text', () => {
  const chinese = '渡轮每天早上七点离开港口，傍晚返回。票价是五元。天气不好的时候停航。'.repeat(20)
  const texts = [
    ...[
      prose,
      sourceOf('src-main/core/core.ts'),
      chinese,
      'a <|endoftext|> b',
      "it's WE'LL",
      '',
      ' ',
      '\n\n',
      'é',
      'ÿ',
    ],
    ...[
      'Größe 👩‍👩‍👧 naïve',
      'русский текст',
      'ภาษาไทย',
      '12345678',
      'x'.repeat(128),
      ' '.repeat(128),
      '\r\n'.repeat(50),
    ],
  ]
  for (const text of texts) expect(countTokens(text), text.slice(0, 30)).toBe(countOfLibrary(text, plain))
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(fc.lorem(), fc.string({ unit: 'grapheme', maxLength: 30 }), fc.constantFrom('\n', '\t', '  ')),
        { maxLength: 30 },
      ),
      (parts) => {
        const text = parts.join(' ')
        expect(countTokens(text)).toBe(countOfLibrary(text, plain))
      },
    ),
    { seed, numRuns: tries(100, 2_000) },
  )
})

test('words without an end are counted within a few per cent', () => {
  const thai = 'ภาษาไทยไม่มีช่องว่างระหว่างคำ'.repeat(100)
  for (const [text, most] of [
    ['x'.repeat(3_000), 1.01],
    [' '.repeat(3_000), 1.01],
    [thai, 1.02],
    ['\u00a0'.repeat(3_000), 1.15],
  ] as const) {
    const ratio = countTokens(text) / countOfLibrary(text, plain)
    expect(ratio).toBeGreaterThanOrEqual(1)
    expect(ratio).toBeLessThan(most)
  }
})

test('a long text is estimated from samples of it, with bounded work', () => {
  const text = prose.repeat(200)
  const exact = countTokens(prose) * 200
  expect(text.length).toBeGreaterThan(5 * maxCounted)
  expect(Math.abs(countTokens(text) / exact - 1)).toBeLessThan(0.03)
  expect(Math.abs(countTokens(text, 20_000) / exact - 1)).toBeLessThan(0.1)
  expect(countTokens(' '.repeat(1_000_000))).toBe(Math.ceil(1_000_000 / 128))
  const cost = (texts: readonly string[]) => cpuOf(() => estimateTokens(texts), 3)
  expect(cost([text.repeat(4)])).toBeLessThan(8 * Math.max(1, cost([prose.repeat(20)])))
})

test('several texts are estimated together, long and short ones', () => {
  const texts = [
    prose.repeat(10),
    ...Array.from({ length: 5_000 }, (_, at) => `item ${at} of the list`),
    '中文'.repeat(20_000),
  ]
  const exact = texts.reduce((sum, text) => sum + countTokens(text, text.length), 0)
  expect(Math.abs(estimateTokens(texts) / exact - 1)).toBeLessThan(0.05)
  expect(estimateTokens(Array.from({ length: 300_000 }, () => 'a'))).toBe(300_000)
  expect(estimateTokens([])).toBe(0)
  expect(estimateTokens(['', 'a b'])).toBe(2)
})

test('the context of a chat is counted in short turns, whatever its text consists of', async () => {
  for (const text of ['\u00a0'.repeat(300_000), prose.repeat(100)]) {
    const stop = countTurns()
    await countText(text)
    expect(stop()).toBeGreaterThanOrEqual(10)
  }
  // A slice ends anywhere, which may split a token.
  expect(Math.abs((await countText(prose)) - countTokens(prose))).toBeLessThanOrEqual(2)
})
