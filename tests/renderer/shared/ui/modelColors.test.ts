import { describe, expect, it } from 'vitest'
import { modelColors } from '../../../../src-renderer/shared/ui/ModelAvatar.tsx'

const names = Array.from({ length: 200 }, (_, at) => `model-${at}`)
const colorOf = (model: string): string | undefined => modelColors([model]).get(model)

describe('the colours of the models of one chat', () => {
  it('do not repeat up to eight models, whatever the names are', () => {
    for (let from = 0; from + 8 <= names.length; from += 1) {
      const colors = modelColors(names.slice(from, from + 8))
      expect(new Set(colors.values()).size).toBe(8)
    }
  })

  it('include two names that would have the same colour alone', () => {
    const [first = '', ...rest] = names
    const twin = rest.find((name) => colorOf(name) === colorOf(first)) ?? ''
    expect(twin).not.toBe('')
    const colors = modelColors([first, twin])
    expect(colors.get(first)).toBe(colorOf(first))
    expect(colors.get(twin)).not.toBe(colors.get(first))
  })

  it('stay when a model joins the chat, and each of more than eight has one', () => {
    const before = modelColors(names.slice(0, 6))
    const after = modelColors(names.slice(0, 20))
    for (const [model, color] of before) expect(after.get(model)).toBe(color)
    expect(after.size).toBe(20)
  })
})
