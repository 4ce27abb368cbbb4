import { describe, expect, it } from 'vitest'
import { asTextInSteps, visibleText } from '../../../../src-renderer/features/chat/asText.ts'
import { matchesIn } from '../../../../src-renderer/features/chat/find/matches.ts'
import { patternOf } from '../../../../src-renderer/stores/chatFind.ts'
import { message } from './harness/scenes.ts'

const asText = (markdown: string): string => [...asTextInSteps(markdown)].join('')

const markdown = `# Brew **well**

Use \`3 g\` of [fine](https://example.com) coffee.

1. Warm the *pot*
2. Pour
   - slowly

- [x] scale

> Good coffee.

| a | b |
|---|---|
| 1 | 2 |

\`\`\`sh
boil --now
\`\`\`
`

describe('a reply as plain text', () => {
  it('contains the text of the Markdown without its marks', () => {
    expect(asText(markdown)).toBe(
      [
        'Brew well',
        'Use 3 g of fine (https://example.com) coffee.',
        '1. Warm the pot\n2. Pour\n   - slowly',
        '- [x] scale',
        'Good coffee.',
        'a\tb\n1\t2',
        'boil --now',
      ].join('\n\n'),
    )
  })

  it('is complete: no mark is taken as one that the rest of the text will close', () => {
    expect(asText('Call f(*args, **kwargs) please')).toBe('Call f(*args, **kwargs) please')
  })

  it('has the addresses of references, and the descriptions of images', () => {
    expect(asText('See [the page][p] and ![a map][p].\n\n[p]: https://a.example')).toBe(
      'See the page (https://a.example) and a map.',
    )
  })

  it('has a long table and a long paragraph as one', () => {
    const rows = Array.from({ length: 60 }, (_, n) => `| ${n} | x |\n`).join('')
    expect(asText(`| a | b |\n|---|---|\n${rows}`).split('\n')).toHaveLength(61)
    const words = 'word and more. '.repeat(1_000).trim()
    expect(asText(words)).toBe(words)
  })

  it('as visible on the screen omits link addresses', () => {
    expect(visibleText('Use [fine](https://example.com) coffee.')).toBe('Use fine coffee.')
  })
})

describe('a search in a chat', () => {
  const find = (text: string, matchCase = false, words: string[] | null = null) => patternOf({ text, matchCase, words })
  const path = [
    message(0, { text: 'Coffee **or** tea?' }),
    message(1, { text: 'Cof**fee**. COFFEE, [coffee](https://coffee.example) and `coffee`.' }),
    message(2, { text: 'a.b a+b' }),
  ]
  const places = (pattern: RegExp | null) => {
    const matches = matchesIn(path, pattern)
    return Array.from({ length: matches.count }, (_, number) => {
      const match = matches.at(number)
      return `${match?.id.slice(-1)}:${match?.nth}`
    })
  }

  it("matches the visible text: across marks, not in addresses, and a person's message as typed", () => {
    expect(places(find('coffee'))).toEqual(['0:0', '1:0', '1:1', '1:2', '1:3'])
    expect(places(find('COFFEE', true))).toEqual(['1:0'])
    expect(places(find('**or**'))).toEqual(['0:0'])
  })

  it('treats its text literally, never as a pattern, and finds nothing for an empty text', () => {
    expect(places(find('a.b'))).toEqual(['2:0'])
    expect(places(find('a+b'))).toEqual(['2:0'])
    expect(find('   ')).toBeNull()
    for (const odd of '\\^$.*+?()[]{}|/-') expect(() => find(odd), odd).not.toThrow()
  })

  it('matches each of several terms after a global search', () => {
    expect(places(find('tea coffee', false, ['tea', 'coffee']))).toEqual(['0:0', '0:1', '1:0', '1:1', '1:2', '1:3'])
  })
})
