import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { KeyboardEvent as ReactKeyboardEvent } from 'react'
import { describe, expect, it } from 'vitest'
import { isComposing } from '../../../src-renderer/shared/isComposing.ts'
import { isSendKey } from '../../../src-renderer/shared/sendKey.ts'
import { compositions, type KeyEvent } from './compositions.ts'

/** Which of the recorded events send, by their place. React and native events are asked alike. */
function sends(events: readonly KeyEvent[]): number[] {
  return events.flatMap((event, at) => {
    const [type, key, keyCode, composing] = event
    if (type !== 'keydown') return []
    const native = { key, keyCode, isComposing: composing }
    const press = { ...native, shiftKey: false, altKey: false, ctrlKey: false, metaKey: false, nativeEvent: native }
    const ofReact = press as unknown as ReactKeyboardEvent
    expect(isComposing(native as unknown as KeyboardEvent)).toBe(isComposing(ofReact))
    return isSendKey(ofReact) ? [at] : []
  })
}

describe('the Enter that ends a composition', () => {
  it.each(Object.entries(compositions))('does not send, and the next one does: %s', (_browser, events) => {
    // Exactly the last keydown: nothing is sent early, and no real Enter is lost.
    expect(sends(events)).toEqual([events.length - 2])
  })

  it('sends after the second keydown of a Korean input method on macOS, which reports both', () => {
    const events: KeyEvent[] = [
      ['compositionstart'],
      ['keydown', 'Enter', 229, true],
      ['compositionend'],
      ['keydown', 'Enter', 13, false],
      ['keyup', 'Enter', 13, false],
    ]
    expect(sends(events)).toEqual([3])
  })

  it('sends directly after a composition that another key has ended', () => {
    expect(sends([['compositionstart'], ['compositionend'], ['keydown', 'Enter', 13, false]])).toEqual([2])
  })
})

describe('every listener for keys', () => {
  const root = fileURLToPath(new URL('../../../src-renderer/', import.meta.url))
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('isComposing.ts'))
    .map((name) => ({ name, source: readFileSync(join(root, name), 'utf8') }))

  it('asks in one way whether the key belongs to an input method, because isComposing alone is false in Safari', () => {
    const own = sources.filter(({ source }) => /\.isComposing\b|keyCode/.test(source))
    expect(own.map(({ name }) => name)).toEqual([])
  })

  it('in a field asks it before Enter, Escape and the arrows', () => {
    // Files with a field of text and a listener of their own.
    const listens = sources.filter(
      ({ source }) =>
        /<(?:textarea|input(?! type="checkbox")|TextInput|TextArea|SearchField)\b/.test(source) &&
        /onKeyDown=/.test(source),
    )
    expect(listens.length).toBeGreaterThan(15)
    const silent = listens.filter(({ source }) => !/isComposing|isSendKey/.test(source))
    expect(silent.map(({ name }) => name)).toEqual([])
  })
})
