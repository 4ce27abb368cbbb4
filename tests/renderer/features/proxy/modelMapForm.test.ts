import { describe, expect, it } from 'vitest'
import { suggestedModelMap, unmappedPatterns } from '../../../../src-preload/contract/modelMap.ts'
import { movedRule } from '../../../../src-renderer/features/proxy/modelMapForm.ts'

const claude = [
  { pattern: '*-haiku-*', size: 'small' },
  { pattern: 'claude-*', size: 'large' },
] as const
const models = (main: string | null, listed: string[]) =>
  suggestedModelMap(claude, main, listed).map(({ model }) => model)

describe('the offered model map', () => {
  it('leaves out a pattern that would replace models which the service has', () => {
    const listed = ['claude-sonnet-9', 'glm-4.6']
    expect(suggestedModelMap(claude, 'glm-4.6', listed).map(({ pattern }) => pattern)).toEqual(['*-haiku-*'])
    expect(suggestedModelMap([{ pattern: 'gpt-*', size: 'large' }], 'gpt-4o', ['gpt-4o'])).toEqual([])
  })

  it('uses the model of the person, and a small one for small tasks', () => {
    expect(suggestedModelMap(claude, 'glm-4.6', ['glm-4.6', 'glm-4.5-air'])).toEqual([
      { pattern: '*-haiku-*', model: 'glm-4.5-air' },
      { pattern: 'claude-*', model: 'glm-4.6' },
    ])
  })

  it.each<[string | null, string[], string[]]>([
    ['writer', ['writer', 'fairy', 'laminate', 'minimax'], ['writer', 'writer']],
    ['qwen-flash', ['qwen-flash', 'mini'], ['qwen-flash', 'qwen-flash']],
    [null, ['a', 'b/mini:latest'], ['b/mini:latest', 'a']],
    [null, [], []],
  ])('for %j of %j: %j', (main, listed, expected) => {
    expect(models(main, listed)).toEqual(expected)
  })
})

describe('patterns without a rule', () => {
  it('are those whose names would reach the service unchanged', () => {
    const rule = (pattern: string) => ({ pattern, model: 'm' })
    expect(unmappedPatterns(claude, [])).toEqual(['*-haiku-*', 'claude-*'])
    expect(unmappedPatterns(claude, [rule('claude-*')])).toEqual(['*-haiku-*'])
    expect(unmappedPatterns(claude, [rule('*-haiku-*'), rule('claude-opus-*')])).toEqual(['claude-*'])
    expect(unmappedPatterns(claude, [rule('*')])).toEqual([])
  })
})

it('a rule moves by one place and not beyond the ends', () => {
  const rules = ['a', 'b', 'c'].map((pattern) => ({ pattern, model: 'm' }))
  const moved = (index: number, by: 1 | -1) =>
    movedRule(rules, index, by)
      .map(({ pattern }) => pattern)
      .join('')
  expect([moved(0, 1), moved(2, -1), moved(1, -1), moved(0, -1), moved(2, 1)]).toEqual([
    'bac',
    'acb',
    'bac',
    'abc',
    'abc',
  ])
})
