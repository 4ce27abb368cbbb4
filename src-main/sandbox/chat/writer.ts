import { type Random, seededRandom } from '../world/seed.ts'
import type { Brief, ReplyDraft } from './brief.ts'
import { place, prose, thing, title } from './prose.ts'
import { sampleOf } from './schemaSample.ts'

type Block = (random: Random) => string

const paragraph: Block = (random) => prose(random, random.int(2, 4))

const list: Block = (random) => {
  const ordered = random.chance(0.5)
  const rows = Array.from(
    { length: random.int(3, 5) },
    (_, at) => `${ordered ? `${at + 1}.` : '-'} ${thing(random)}, from ${place(random)}`,
  )
  return `What was noted that day:\n\n${rows.join('\n')}`
}

const quote: Block = (random) => `> ${prose(random, 2)}`

const table: Block = (random) => {
  const rows = Array.from(
    { length: random.int(3, 6) },
    () => `| ${place(random)} | ${random.int(1, 31)} | ${random.int(-4, 28)} °C | ${random.int(0, 100)} % |`,
  )
  return ['| place | day | air | humidity |', '|---|--:|--:|--:|', ...rows].join('\n')
}

const CODE: readonly [Block, ...Block[]] = [
  (random) =>
    [
      '```ts',
      '/** Minutes on foot between two places, at a calm pace. */',
      'export function minutesBetween(metres: number): number {',
      `  const metresPerMinute = ${random.int(60, 90)}`,
      '  return Math.ceil(metres / metresPerMinute)',
      '}',
      '```',
    ].join('\n'),
  (random) =>
    [
      '```python',
      'def tides(hours: int) -> list[float]:',
      '    """Heights in metres, one an hour."""',
      '    from math import cos, pi',
      `    return [${random.int(1, 4)}.5 * cos(2 * pi * h / 12.42) for h in range(hours)]`,
      '```',
    ].join('\n'),
  (random) =>
    [
      '```sql',
      'SELECT place, count(*) AS visits',
      'FROM   walks',
      `WHERE  minutes < ${random.int(10, 60)}`,
      'GROUP  BY place',
      'ORDER  BY visits DESC;',
      '```',
    ].join('\n'),
]

const code: Block = (random) => `The keeper’s small program for it:\n\n${random.pick(CODE)(random)}`

const MATHS: readonly [Block, ...Block[]] = [
  (random) =>
    `The tide follows $h(t) = A\\cos\\left(\\frac{2\\pi t}{T}\\right)$ with $A = ${random.int(1, 6)}$ metres:\n\n$$\n\\int_0^T h(t)^2\\,dt = \\frac{A^2 T}{2}\n$$`,
  (random) =>
    `With $n = ${random.int(3, 12)}$ lamps there are\n\n$$\n\\sum_{k=0}^{n} \\binom{n}{k} = 2^n\n$$\n\nways to light them.`,
]

const maths: Block = (random) => random.pick(MATHS)(random)

const heading: Block = (random) => `## ${title(random)}`

const BLOCKS: readonly [Block, ...Block[]] = [paragraph, paragraph, paragraph, list, quote, table, code, maths, heading]

/** Seeded prose with lists, tables, code and mathematics; JSON if `response_format` requests it. */
export function write({ request, model, pace, seed }: Brief): ReplyDraft {
  const format = request.response_format
  if (format?.type === 'json_object' || format?.type === 'json_schema') return { content: asJson(format, seed) }
  const random = seededRandom(seed, 'writer')
  const wanted = pace.tokens ?? model.tokens
  if (wanted === 0) return { content: '' }
  const blocks = [paragraph(random)]
  let length = blocks[0]?.length ?? 0
  // Estimates 4 characters per token. For an exact length, 7 guarantee enough text, which is cut to the exact token afterwards.
  while (length < wanted * (pace.tokens === null ? 4 : 7)) {
    const block = random.pick(BLOCKS)(random)
    blocks.push(block)
    length += block.length + 2
  }
  return { content: blocks.join('\n\n'), exact: true }
}

function asJson(format: Record<string, unknown>, seed: string): string {
  const wrapper = format.json_schema
  const schema = typeof wrapper === 'object' && wrapper !== null && 'schema' in wrapper ? wrapper.schema : null
  const random = seededRandom(seed, 'json')
  return JSON.stringify(schema === null ? { title: title(random), text: prose(random, 2) } : sampleOf(schema, random))
}
