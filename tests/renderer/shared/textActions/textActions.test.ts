import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { settings } from '../../../../src-preload/contract/app.ts'
import {
  actionsOf,
  builtInActions,
  modelOfActions,
  nameOf,
} from '../../../../src-renderer/shared/textActions/builtIn.ts'
import { fillPrompt, languageName } from '../../../../src-renderer/shared/textActions/fillPrompt.ts'
import { boxBeside } from '../../../../src-renderer/shared/textActions/selection.ts'

describe('the prompt of a text action', () => {
  it('has the selected text and the language in their places, as often as the prompt names them', () => {
    const prompt = 'Into {{language}}: {{ selection }} / {{selection}}'
    expect(fillPrompt(prompt, { selection: 'Hallo', language: 'English' })).toBe('Into English: Hallo / Hallo')
  })
  it('gets the text at its end when it has no place for it', () => {
    expect(fillPrompt('Be brief.\n', { selection: 'Hallo', language: 'English' })).toBe('Be brief.\n\nHallo')
  })
  it('takes any selected text literally', () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom('{{selection}}', '{{language}}', '$&', '$1', '{{', '</text>'))
    fc.assert(
      fc.property(fc.array(piece), fc.string(), (pieces, language) => {
        const selection = pieces.join('')
        expect(fillPrompt('a {{selection}} b {{language}}', { selection, language })).toBe(
          `a ${selection} b ${language}`,
        )
      }),
    )
  })
  it('names the language in English, and shows an unknown tag unchanged', () => {
    expect(languageName('de-AT')).toBe('Austrian German')
    expect(languageName('not a tag')).toBe('not a tag')
  })
})

describe('the actions', () => {
  it('are the built-in ones until a person changes them', () => {
    expect(actionsOf({ textActions: null })).toBe(builtInActions)
    expect(actionsOf({ textActions: [] })).toEqual([])
  })
  it('that are built in fit the contract, have a place for the text, and a name', () => {
    expect(settings.shape.textActions.parse(builtInActions)).toEqual(builtInActions)
    for (const action of builtInActions) expect(action.prompt).toContain('{{selection}}')
    expect(nameOf({ id: 'own', name: 'Own name' })).toBe('Own name')
  })
  it('go to their own model, otherwise to that of new chats if the service has it', () => {
    const none = { textActionModel: null, newChatModel: null, chatModel: null }
    expect(modelOfActions(undefined, [], 'other')).toBeNull()
    expect(modelOfActions(none, ['a'], null)).toBeNull()
    expect(modelOfActions(none, ['a'], 'a')).toBe('a')
    expect(modelOfActions({ ...none, newChatModel: 'a', chatModel: 'b' }, ['a', 'b'], 'c')).toBe('a')
    expect(modelOfActions({ ...none, newChatModel: 'gone', chatModel: 'b' }, ['a', 'b'], 'c')).toBe('b')
    // A model that was chosen for actions is never replaced, because another one may cost more.
    expect(modelOfActions({ ...none, textActionModel: 'gone', newChatModel: 'a' }, ['a'], 'a')).toBe('gone')
  })
})

describe('a box beside a selection', () => {
  const view = { width: 1000, height: 800 }
  const size = { width: 200, height: 40 }
  it('is above the selection, and below it when there is no space above', () => {
    expect(boxBeside({ left: 100, right: 300, top: 400, bottom: 420 }, size, view, 'above')).toEqual({
      left: 100,
      top: 352,
    })
    expect(boxBeside({ left: 100, right: 300, top: 30, bottom: 50 }, size, view, 'above')).toEqual({
      left: 100,
      top: 58,
    })
  })
  it('is inside the window wherever the selection is', () => {
    const at = fc.integer({ min: -5000, max: 5000 })
    fc.assert(
      fc.property(
        at,
        at,
        at,
        at,
        fc.constantFrom('above' as const, 'below' as const),
        (left, right, top, bottom, prefer) => {
          const box = boxBeside({ left, right, top, bottom }, size, view, prefer)
          expect(box.left).toBeGreaterThanOrEqual(8)
          expect(box.top).toBeGreaterThanOrEqual(8)
          expect(box.left + size.width).toBeLessThanOrEqual(view.width - 8)
          expect(box.top + size.height).toBeLessThanOrEqual(view.height - 8)
        },
      ),
    )
  })
})
