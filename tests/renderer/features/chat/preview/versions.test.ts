import { describe, expect, it } from 'vitest'
import type { Message } from '../../../../../src-preload/contract/chat.ts'
import { blocksOf } from '../../../../../src-renderer/features/chat/preview/blocks.ts'
import { fileNameOf, kindOf, titleOf } from '../../../../../src-renderer/features/chat/preview/kinds.ts'
import { artifactFor, artifactsOf } from '../../../../../src-renderer/features/chat/preview/versions.ts'
import { opening } from '../../../../../src-renderer/stores/openChat.ts'
import { cpuTime } from '../../../../helpers/cpuTime.ts'
import { message } from '../harness/scenes.ts'

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``
const page = (title: string, body = ''): string => fence('html', `<title>${title}</title>${body}`)
/** Alternating questions and replies. Odd numbers are replies. */
const chat = (...replies: string[]): Message[] =>
  replies.flatMap((text, at) => [message(at * 2, { text: 'asked' }), message(at * 2 + 1, { text, status: 'complete' })])
/** Artifacts as texts: each version as number of its reply and place in it. */
const found = (...replies: string[]): string[] => {
  const messages = chat(...replies)
  const reply = (id: string): number => (messages.findIndex((one) => one.id === id) + 1) / 2
  return artifactsOf(messages).map((versions) =>
    versions.map((one) => `${reply(one.messageId)}.${one.index}`).join(' '),
  )
}

describe('previewable blocks', () => {
  it('are found by the language of their fence, also inside a list', () => {
    const [block, listed, ...rest] = blocksOf(
      message(1, {
        status: 'complete',
        text: `${page('A')}\n\n- item\n\n  ${fence('json', '{}').replaceAll('\n', '\n  ')}\n\n${fence('ts', 'x')}`,
      }),
    )
    expect(block).toEqual({ kind: 'html', text: '<title>A</title>', title: 'A', open: false })
    expect(listed).toMatchObject({ kind: 'json', text: '{}' })
    expect(rest).toEqual([])
  })

  it('are open while their reply grows, and not when a complete reply left a fence open', () => {
    const text = '```html\n<p>begun'
    expect(blocksOf(message(1, { status: 'streaming', text }))[0]?.open).toBe(true)
    expect(blocksOf(message(1, { status: 'complete', text }))[0]?.open).toBe(false)
  })

  it('have a kind, a title and a file name', () => {
    expect(kindOf('HTML title="x"', '')).toBe('html')
    expect(kindOf('xml', '<?xml version="1.0"?>\n<svg xmlns="x">')).toBe('svg')
    expect(kindOf('xml', '<feed>')).toBeNull()
    expect(kindOf('__proto__', '')).toBeNull()
    expect(titleOf('html', '<h1 class="x">Over\n the hills</h1>')).toBe('Over the hills')
    expect(titleOf('markdown', 'text\n## Second')).toBe('Second')
    expect(fileNameOf('html', '../../Été & “Söhne”\u202e')).toBe('été-söhne.html')
    expect(fileNameOf('json', '///')).toBe('data.json')
    expect(fileNameOf('csv', '')).toBe('table.csv')
  })

  it('with an endless title are read in time', () => {
    const cpuMs = cpuTime()
    for (const kind of ['html', 'svg', 'markdown', 'mermaid'] as const) titleOf(kind, '<title'.repeat(500_000))
    expect(cpuMs()).toBeLessThan(500)
  })
})

describe('versions', () => {
  it('have the same title, wherever they are in their replies', () => {
    expect(found(page('A'), `${page('B')}\n${page('a', 'x')}`, 'no block', page('A'))).toEqual(['1.0 2.1 4.0', '2.0'])
  })
  it('without a title have the same place in consecutive replies', () => {
    const [one, two] = [fence('csv', '1'), fence('csv', '2')]
    expect(found(`${one}\n\n${two}`, `${two}\n\n${one}`, one)).toEqual(['1.0 2.0 3.0', '1.1 2.1'])
    expect(found(fence('html', '<p>'), page('A'), page('B'))).toEqual(['1.0 2.0', '3.0'])
  })
  it('of another title or kind are other artifacts', () => {
    expect(found(page('A'), page('B'), fence('svg', '<svg/>'))).toEqual(['1.0', '2.0', '3.0'])
  })

  it('the shown one follows the newest, stays when the person chose it, and moves to the reply on the path', () => {
    const messages = chat(page('A'), page('A', 'x'))
    const open = { ...opening('c'), state: 'live' as const, messages }
    const target = { conversationId: 'c', messageId: messages[1]?.id ?? '', index: 0, kind: 'html' as const }
    expect(artifactFor(open, { ...target, follow: true })?.at).toBe(1)
    expect(artifactFor(open, { ...target, follow: false })?.at).toBe(0)
    expect(artifactFor(open, { ...target, messageId: 'other', follow: false })?.at).toBe(1)
    expect(artifactFor(open, { ...target, messageId: 'other', kind: 'csv', follow: false })).toBeNull()
  })
})
