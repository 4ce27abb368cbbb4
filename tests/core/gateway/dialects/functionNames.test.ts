import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FunctionNames } from '../../../../src-main/core/gateway/dialects/functionNames.ts'
import { tries } from '../../../helpers/effort.ts'
import { growth, linear } from '../../../helpers/growth.ts'

const long = `mcp__${'a'.repeat(70)}`

describe('function names', () => {
  it('stay as they are where services accept them', () => {
    expect(new FunctionNames().nameOf('read_file-2', 'read_file-2')).toBe('read_file-2')
  })

  it('are shortened in the same way in each request', () => {
    const first = new FunctionNames().nameOf(long, long)
    expect(first).toMatch(/^mcp__a{50}_[0-9a-f]{8}$/)
    const second = new FunctionNames()
    second.nameOf('other', 'other')
    expect(second.nameOf(long, long)).toBe(first)
  })

  it('never belong to two tools, also where a tool has the name that another one was given', () => {
    const short = new FunctionNames().nameOf(long, long)
    const names = new FunctionNames()
    const given = [short, long, `${long}b`, 'é', 'ê', '_', ''].map((name) => names.nameOf(name, name))
    expect(new Set(given).size).toBe(given.length)
    for (const name of given) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  })

  it('are allowed and unique for any names', () => {
    const character = fc.constantFrom('a', '_', '.', 'é', '🙂', '"')
    const name = fc.oneof(fc.string({ unit: character, maxLength: 70 }), fc.string({ unit: 'binary', maxLength: 3 }))
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 40 }), (wanted) => {
        const names = new FunctionNames()
        const given = wanted.map((one) => names.nameOf(one, one))
        expect(new Set(given).size).toBe(wanted.length)
        for (const one of given) expect(one).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
        expect(wanted.map((one) => names.nameOf(one, one))).toEqual(given)
      }),
      { numRuns: tries(200, 5000) },
    )
  })

  it('are found in linear time for thousands of tools with one name', () => {
    const add = (count: number) => {
      const names = new FunctionNames()
      for (let n = 0; n < count; n++) names.nameOf(String(n), long)
    }
    expect(growth(8000, (count) => count, add)).toBeLessThan(linear)
  })
})
