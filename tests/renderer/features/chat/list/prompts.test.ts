import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { filled, filledPieces, variablesOf } from '../../../../../src-renderer/features/chat/list/variables.ts'

describe('variables of a prompt', () => {
  it('have one field each, in the order of their first use, with their default', () => {
    expect(variablesOf('{{tone}} to {{ name }}, from {{tone=kind}} {{name}} in {{language=English}}')).toEqual([
      { name: 'tone', value: 'kind' },
      { name: 'name', value: '' },
      { name: 'language', value: 'English' },
    ])
  })
  it('leave other braces alone', () => {
    for (const text of ['{name}', '{{}}', '{{ }}', '{{a{b}}', '{{=x}}', '${{', '{{a\nb}}', 'a }} b {{ c']) {
      expect(variablesOf(text), text).toEqual([])
      expect(filled(text, {}), text).toBe(text)
    }
  })
  it('are replaced everywhere, and an empty value stays empty', () => {
    expect(filled('{{a}}-{{b=2}}-{{a}}!', { a: 'x' })).toBe('x--x!')
  })
  it('insert values literally: braces in a value are not replaced again', () => {
    expect(filled('{{a}} {{b}}', { a: '{{b}}', b: '{{a}}' })).toBe('{{b}} {{a}}')
  })
  it('lose no text: replacing each variable by its own placeholder restores the prompt', () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom('{{a}}', '{{b}}', '{{', '}}', '\n', '{'))
    fc.assert(
      fc.property(
        fc.array(piece).map((all) => all.join('')),
        (text) => {
          const itself = Object.fromEntries(variablesOf(text).map(({ name }) => [name, `{{${name}}}`]))
          const normal = text.replace(/\{\{([^{}=\n]+)(?:=([^{}]*))?\}\}/g, (whole, name: string) =>
            name.trim() === '' ? whole : `{{${name.trim()}}}`,
          )
          expect(filled(text, itself)).toBe(normal)
          expect(filledPieces(text, itself).every((part) => part.filled || part.text !== '')).toBe(true)
        },
      ),
    )
  })
})
