import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { detailsOf, saidBy } from '../../../src-renderer/problems/details.ts'

const refused = (said?: string) => ({ kind: 'invalid_request' as const, message: 'Refused.', ...(said && { said }) })

describe('what the service said about a refusal', () => {
  it('is told in its own words, in one line, and nothing is told where it said nothing [GEN-04]', () => {
    expect(saidBy(refused('The model x does\nnot  support images.'))).toBe('The model x does not support images.')
    expect(saidBy(refused())).toBeNull()
    expect(saidBy(refused(' \n '))).toBeNull()
  })

  it('is a stranger’s text: what can’t be seen is written out, and it never fills the page', () => {
    expect(saidBy(refused('Send \u202Eti\u200Bt'))).toBe('Send \\u{202E}ti\\u{200B}t')
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', ' ', '\n', '\0', '\u200b', '\u202e', '\u2066', '\ud800', '😀'),
          maxLength: 900,
        }),
        (said) => {
          const words = saidBy(refused(said)) ?? ''
          expect(words.length).toBeLessThanOrEqual(401)
          expect(words).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
        },
      ),
    )
    expect(saidBy(refused('a'.repeat(401)))).toBe(`${'a'.repeat(400)}…`)
  })

  it('stands among the details with all the rest', () => {
    expect(detailsOf({ ...refused('No.'), status: 400, code: 'unsupported_parameter', raw: '{"error":1}' })).toBe(
      'Refused.\n\nstatus: 400\ncode: unsupported_parameter\n\n{"error":1}',
    )
  })
})
