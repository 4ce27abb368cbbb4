import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDecimal, parseWhole } from '../../../src-renderer/shared/typedNumber.ts'

describe('a typed number', () => {
  it('has either decimal mark, and is understood exactly', () => {
    const understood = {
      '0,01': '0.01',
      '0.01': '0.01',
      ' 2,50 ': '2.5',
      '007': '7',
      ',5': '0.5',
      '3.': '3',
      '1,000.5': '1000.5',
      '1.000,5': '1000.5',
      '1,000,000': '1000000',
      '1.000.000': '1000000',
      "1'000.25": '1000.25',
      '1\u202f000,25': '1000.25',
      '1,000': '1',
    }
    for (const [typed, amount] of Object.entries(understood)) expect(parseDecimal(typed), typed).toBe(amount)
    expect(parseDecimal(' ')).toBeNull()
  })
  it('is refused when it can be read in no way', () => {
    for (const typed of ['-1', '1e3', 'ten', '.', ',', '1,2,3', '1.2.3,4', '1,00,0.5', '1.0000000001', '1234567890123'])
      expect(parseDecimal(typed), typed).toBeUndefined()
    for (const typed of ['1.5', '1,5', '1,0000', '-1', '1e3', '12345678901', '1,000.000'])
      expect(parseWhole(typed), typed).toBeUndefined()
  })
  it('is whole with any mark between groups of three digits', () => {
    for (const typed of ['1000', '1,000', '1.000', '1 000', '1_000']) expect(parseWhole(typed), typed).toBe(1000)
    expect(parseWhole('')).toBeNull()
  })
  it('means the same with either mark, and again as it is shown back', () => {
    fc.assert(
      fc.property(fc.nat(1e9), fc.stringMatching(/^\d{1,9}$/), (whole, fraction) => {
        const read = parseDecimal(`${whole}.${fraction}`)
        expect(parseDecimal(`${whole},${fraction}`)).toBe(read)
        expect(parseDecimal(read ?? '')).toBe(read)
        expect(Number(read)).toBe(Number(`${whole}.${fraction}`))
      }),
    )
  })
})
