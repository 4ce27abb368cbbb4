import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { grammars } from '../../../../src-renderer/shared/markdown/code/grammars.ts'
import { labelOf, languageOf } from '../../../../src-renderer/shared/markdown/code/languages.ts'
import {
  type LineMarks,
  linesOf,
  longestLine,
  Painter,
  type PaintQuestion,
} from '../../../../src-renderer/shared/markdown/code/paint.ts'
import { firstCases, tries } from '../../../helpers/effort.ts'

const ask = (over: Partial<PaintQuestion>): PaintQuestion => ({
  block: 1,
  language: 'typescript',
  at: 0,
  text: '',
  inLine: false,
  wanted: true,
  ...over,
})
/** Each marked part of a line with its kind. */
function parts(line: string, marks: LineMarks | undefined): [string, number][] {
  const found: [string, number][] = []
  let at = 0
  for (let pair = 0; marks && pair < marks.length; pair += 2) {
    const [end = 0, kind = 0] = [marks[pair], marks[pair + 1]]
    if (kind > 0) found.push([line.slice(at, end).trim(), kind])
    at = end
  }
  return found
}
const plain = (lines: readonly LineMarks[]): number[][] => lines.map((line) => [...line])

describe('the names of languages', () => {
  it.each([
    ['ts', 'typescript'],
    ['TS title="a.ts"', 'typescript'],
    ['c++', 'cpp'],
    ['bash', 'shellscript'],
    ['python{1,3}', 'python'],
  ])('%s is %s', (info, language) => expect(languageOf(info)).toBe(language))

  it.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf', '../../x', 'ts/../evil', '', ' '])(
    'none is %j',
    (info) => expect(languageOf(info)).toBeNull(),
  )

  it('are labelled with the first word only', () => expect(labelOf('js onload=alert(1)')).toBe('js'))
})

describe('code', () => {
  it('is coloured by its tokens', async () => {
    const line = "const answer = add('x', 42) // why"
    const painted = async () => parts(line, (await new Painter().answer(ask({ text: line })))?.lines[0])
    // The limit per line is real time, so on an overloaded machine a line may stay plain.
    await expect.poll(painted).toEqual(
      expect.arrayContaining([
        ['const', 2],
        ["'x'", 3],
        ['42', 4],
        ['// why', 1],
      ]),
    )
  })

  it('carries its state across pieces: a comment continues in the next piece', async () => {
    const painter = new Painter()
    expect(await painter.answer(ask({ text: '/* begins\n', wanted: false }))).toEqual({ from: 0, lines: [] })
    const next = await painter.answer(ask({ at: 1, text: 'goes on */ let a\n' }))
    expect(parts('goes on */ let a', next?.lines[0])[0]).toEqual(['goes on */', 1])
  })

  it('is coloured the same however it arrives, and each line once', { tags: 'long' }, async () => {
    const text = ['function f() {', '  return `a ${1 +', '    2} b`', '}', '/* x', 'y */ f()', ''].join('\n')
    const whole = await new Painter().answer(ask({ text }))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 12 }), async (cuts) => {
        const painter = new Painter()
        let lines: LineMarks[] = []
        let painted = 0
        for (const end of [...cuts.sort((a, b) => a - b), text.length]) {
          const answer = await painter.answer(ask({ text: text.slice(0, end) }))
          lines = [...lines.slice(0, answer?.from), ...(answer?.lines ?? [])]
          painted += answer?.lines.length ?? 0
        }
        expect(plain(lines)).toEqual(plain(whole?.lines ?? []))
        // Each line once, and once more for each cut line.
        expect(painted).toBeLessThanOrEqual(linesOf(text).length + cuts.length)
      }),
      { numRuns: tries(20, 200) },
    )
  })

  it('stays plain in a line that is too long, and continues after it', async () => {
    const long = `let a = "${'x'.repeat(longestLine)}"`
    const answer = await new Painter().answer(ask({ text: `${long}\nlet b\n` }))
    expect(answer?.lines[0]).toHaveLength(0)
    expect(parts('let b', answer?.lines[1])[0]).toEqual(['let', 2])
  })

  it('is not coloured in an unknown language, nor out of order', async () => {
    const painter = new Painter()
    expect(await painter.answer(ask({ language: '__proto__', text: 'a' }))).toBeNull()
    expect(await painter.answer(ask({ language: 'constructor', text: 'a' }))).toBeNull()
    expect(await painter.answer(ask({ at: 3, text: 'a' }))).toBeNull()
  })

  it.each(
    firstCases(
      12,
      [...grammars.keys()].map((language) => [language]),
    ),
  )('%s has a grammar that works here', async (language) => {
    const text = '# a "b" 1 // <a b="c"> {x: 1} -- y\n- let fn(x) = "y";\n'
    const answer = await new Painter().answer(ask({ language, text }))
    expect(answer?.lines).toHaveLength(2)
  })
})
