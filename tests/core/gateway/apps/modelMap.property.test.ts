import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkedModelMap, mappedModel } from '../../../../src-main/core/gateway/apps/modelMap.ts'
import { coveringRules, type ModelRule, patternTest } from '../../../../src-preload/contract/modelMap.ts'
import { cpuTime } from '../../../helpers/cpuTime.ts'
import { tries } from '../../../helpers/effort.ts'

/** The definition of a pattern, by recursion. Exponential, for short texts only. */
function matchesByDefinition(pattern: string, name: string): boolean {
  if (pattern === '') return name === ''
  if (pattern[0] !== '*') return pattern[0] === name[0] && matchesByDefinition(pattern.slice(1), name.slice(1))
  return matchesByDefinition(pattern.slice(1), name) || (name !== '' && matchesByDefinition(pattern, name.slice(1)))
}

/** Few letters, so that patterns match often. The others mean something in regular expressions or paths. */
const letter = fc.constantFrom('a', 'b', 'A', '.', '?', '[', '\\', '-')
const name = fc.string({ unit: letter, maxLength: 8 })
const pattern = fc.string({ unit: fc.oneof({ weight: 2, arbitrary: fc.constant('*') }, letter), maxLength: 7 })
const rules = fc.array(fc.record({ pattern, model: fc.constantFrom('m1', 'm2', 'm3') }), { maxLength: 6 })
const runs = { numRuns: tries(500, 20_000) }

describe('a pattern', () => {
  it('matches exactly the names of its definition', () => {
    fc.assert(
      fc.property(pattern, name, (asked, given) => {
        expect(patternTest(asked)(given)).toBe(matchesByDefinition(asked, given))
      }),
      runs,
    )
  })

  it('matches a name that is made from it', () => {
    fc.assert(
      fc.property(pattern, fc.array(name, { minLength: 8, maxLength: 8 }), (asked, parts) => {
        let next = 0
        expect(patternTest(asked)(asked.replaceAll('*', () => parts[next++ % parts.length] ?? ''))).toBe(true)
      }),
      runs,
    )
  })

  // A pattern with backtracking would need about 10^50 steps for the first pair.
  it.each([
    [`${'*a'.repeat(99)}*b`, 'a'.repeat(2_000_000)],
    [`*${'a'.repeat(99)}b*`, 'a'.repeat(2_000_000)],
    [`*b${'a'.repeat(99)}*`, 'a'.repeat(2_000_000)],
    [`*${'ab'.repeat(99)}c*`, 'ab'.repeat(1_000_000)],
  ])('takes linear time: %.20s', (asked, hostile) => {
    const matches = patternTest(asked)
    const cpuMs = cpuTime()
    expect(matches(hostile)).toBe(false)
    expect(cpuMs()).toBeLessThan(1_000)
  })
})

describe('a model map', () => {
  it('uses the first matching rule, and leaves a name without one unchanged', () => {
    fc.assert(
      fc.property(rules, name, (map, asked) => {
        const first = map.find((rule) => matchesByDefinition(rule.pattern, asked))
        expect(mappedModel(map, asked)).toBe(first ? first.model : asked)
      }),
      runs,
    )
  })

  it('does not map the result again', () => {
    const map = [
      { pattern: 'claude-*', model: 'gpt-x' },
      { pattern: 'gpt-*', model: 'other' },
    ]
    expect(mappedModel(map, 'claude-opus')).toBe('gpt-x')
    expect(mappedModel(map, 'gpt-x')).toBe('other')
  })

  it('compares case, and gives an exact name no precedence over an earlier pattern', () => {
    const map = [
      { pattern: 'claude-*', model: 'large' },
      { pattern: 'claude-haiku', model: 'small' },
    ]
    expect(mappedModel(map, 'claude-haiku')).toBe('large')
    expect(mappedModel(map.toReversed(), 'claude-haiku')).toBe('small')
    expect(mappedModel(map, 'Claude-haiku')).toBe('Claude-haiku')
  })

  it('treats names of object properties as text', () => {
    expect(mappedModel([{ pattern: '__proto__', model: 'm' }], 'constructor')).toBe('constructor')
    expect(mappedModel([{ pattern: '__proto__', model: 'm' }], '__proto__')).toBe('m')
  })

  it('means the same after normalization', () => {
    const given = fc.array(
      fc.record({
        pattern: fc.string({ unit: fc.constantFrom('*', 'a', 'b'), minLength: 1, maxLength: 6 }),
        model: fc.constantFrom('m1', 'm2'),
      }),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(given, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 }), (map, asked) => {
        const checked = checkedModelMap(map)
        expect(mappedModel(checked, asked)).toBe(mappedModel(map, asked))
        expect(checkedModelMap(checked)).toEqual(checked)
      }),
      runs,
    )
  })

  it.each<[string, ModelRule[], string]>([
    ['51 rules', Array.from({ length: 51 }, () => ({ pattern: 'a', model: 'm' })), 'at most 50 rules'],
    ['an empty pattern', [{ pattern: ' ', model: 'm' }], 'Rule 1 of the model map has no pattern'],
    ['a long pattern', [{ pattern: 'a'.repeat(201), model: 'm' }], 'more than 200 characters'],
    ['no model', [{ pattern: 'a', model: '' }], 'has no model'],
    ['a long model', [{ pattern: 'a', model: 'm'.repeat(301) }], 'more than 300 characters'],
    ['a line break', [{ pattern: 'a\nb', model: 'm' }], 'one line of text'],
    ['an unpaired surrogate', [{ pattern: 'a', model: '\ud800' }], 'one line of text'],
  ])('refuses %s', (_, map, message) => {
    expect(() => checkedModelMap(map)).toThrow(expect.objectContaining({ kind: 'bad_input' }))
    expect(() => checkedModelMap(map)).toThrow(message)
  })
})

describe('a rule without effect', () => {
  it('is one whose names all match an earlier rule', () => {
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 5 }), fc.array(name, { maxLength: 8 }), (patterns, fillings) => {
        for (const [index, covering] of coveringRules(patterns).entries()) {
          const asked = patterns[index] ?? ''
          const names = fillings.map((filling) => asked.replaceAll('*', filling))
          if (covering !== null) {
            expect(covering).toBeLessThan(index)
            for (const each of names) expect(matchesByDefinition(patterns[covering] ?? '', each)).toBe(true)
          } else {
            // Some name reaches the rule: one with a letter that no pattern has.
            const reached = asked.replaceAll('*', 'z')
            for (const before of patterns.slice(0, index)) expect(matchesByDefinition(before, reached)).toBe(false)
          }
        }
      }),
      runs,
    )
  })

  it.each<[string[], (number | null)[]]>([
    [
      ['claude-*', '*-haiku-*', 'claude-3-haiku-1'],
      [null, null, 0],
    ],
    [
      ['*', 'gpt-*'],
      [null, 0],
    ],
    [
      ['gpt-5', 'gpt-5', 'GPT-5'],
      [null, 0, null],
    ],
  ])('%j: %j', (patterns, expected) => {
    expect(coveringRules(patterns)).toEqual(expected)
  })
})
