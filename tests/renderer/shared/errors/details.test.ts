import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { problems } from '../../../../src-renderer/i18n/en/problems.ts'
import { detailsOf, messageBeside, serviceMessage } from '../../../../src-renderer/shared/errors/details.ts'

const refused = (said?: string) => ({ kind: 'invalid_request' as const, message: 'Refused.', ...(said && { said }) })

describe('the message of one case', () => {
  const full = "/data/ledger.sqlite can't be written: the disk is full. Free some space, then try again."
  const shownFor = (kind: keyof typeof problems.kinds): string[] => [
    problems.kinds[kind].title,
    problems.kinds[kind].meaning,
  ]

  it('is shown beside the general text of its kind, unless they say the same', () => {
    expect(messageBeside({ kind: 'disk_full', message: full }, shownFor('disk_full'))).toBe(full)
    expect(messageBeside({ kind: 'bug', message: '' }, shownFor('bug'))).toBeNull()
    for (const kind of ['disk_full', 'cancelled', 'keychain_missing', 'port_taken'] as const) {
      const { title, meaning } = problems.kinds[kind]
      for (const message of [title, `${title}.`, meaning, meaning.replaceAll('’', "'").toUpperCase()])
        expect(messageBeside({ kind, message }, shownFor(kind)), message).toBeNull()
    }
    // The service's own message is shown separately.
    expect(messageBeside({ kind: 'not_found', message: 'No model x.', said: 'No model x.' }, [])).toBeNull()
    const gaveUp = { message: 'Wait a little. Gave up after 4 attempts.', said: 'Wait a little.' }
    expect(messageBeside({ kind: 'rate_limited', ...gaveUp }, [])).toBe('Gave up after 4 attempts.')
    // A part of a word is not a match.
    expect(messageBeside({ kind: 'cancelled', message: 'Cancel' }, ['It was cancelled.'])).toBe('Cancel')
  })

  it('may contain untrusted text: hidden characters are visible, and its length is limited', () => {
    expect(messageBeside({ kind: 'bad_input', message: 'No \u202Efile\u0007' }, [])).toBe('No \\u{202E}file\\u{0007}')
    expect(messageBeside({ kind: 'bad_input', message: 'ab '.repeat(300) }, [])).toHaveLength(201)
  })
})

describe("the service's message about a refusal", () => {
  it('is shown unchanged, on one line, and absent when there is none [GEN-04]', () => {
    expect(serviceMessage(refused('The model x does\nnot  support images.'))).toBe(
      'The model x does not support images.',
    )
    expect(serviceMessage(refused())).toBeNull()
    expect(serviceMessage(refused(' \n '))).toBeNull()
  })

  it('is untrusted text: hidden characters are visible, and its length is limited', () => {
    expect(serviceMessage(refused('Send \u202Eti\u200Bt'))).toBe('Send \\u{202E}ti\\u{200B}t')
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', ' ', '\n', '\0', '\u200b', '\u202e', '\u2066', '\ud800', '😀'),
          maxLength: 900,
        }),
        (said) => {
          const words = serviceMessage(refused(said)) ?? ''
          expect(words.length).toBeLessThanOrEqual(201)
          expect(words).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
        },
      ),
    )
    expect(serviceMessage(refused('a'.repeat(401)))).toBe(`${'a'.repeat(200)}…`)
  })

  it('is among the details with everything else', () => {
    expect(detailsOf({ ...refused('No.'), status: 400, code: 'unsupported_parameter', raw: '{"error":1}' })).toBe(
      'Refused.\n\nstatus: 400\ncode: unsupported_parameter\n\n{"error":1}',
    )
  })
})
