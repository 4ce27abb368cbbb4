import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { filled, filledPieces, variablesOf } from '../../../../../src-renderer/features/chat/list/variables.ts'

describe('variables of a prompt', () => {
  it('are asked for once each, in the order of their first place, with the value to begin with', () => {
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
  it('stand in every place; what is left empty stays empty', () => {
    expect(filled('{{a}}-{{b=2}}-{{a}}!', { a: 'x' })).toBe('x--x!')
  })
  it('are text where they are filled in: braces in a value are not filled in again', () => {
    expect(filled('{{a}} {{b}}', { a: '{{b}}', b: '{{a}}' })).toBe('{{b}} {{a}}')
  })
  it('lose nothing of a text: with each place filled by itself it is what it was', () => {
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
