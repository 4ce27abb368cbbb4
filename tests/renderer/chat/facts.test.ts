import { describe, expect, it } from 'vitest'
import { remarkOn, tokensPerSecond } from '../../../src-renderer/rooms/chat/facts.ts'
import { message } from './harness/scenes.ts'

describe('what is said about a reply', () => {
  it('[CHAT-06] explains an empty answer with a length finish, and a text that was cut by it', () => {
    expect(remarkOn(message(1, { text: '', reasoning: 'long', finishReason: 'length' }))).toBe('emptyLength')
    expect(remarkOn(message(1, { text: 'abc', finishReason: 'length' }))).toBe('cutLength')
    expect(remarkOn(message(1, { text: '', finishReason: 'stop' }))).toBe('emptyReply')
    expect(remarkOn(message(1, { text: 'abc', finishReason: 'stop' }))).toBeNull()
  })

  it('counts speed from the first token to the end, and nothing where a figure is missing', () => {
    const times = { createdAt: '2026-01-01T00:00:00.000Z', finishedAt: '2026-01-01T00:00:05.400Z', firstTokenMs: 400 }
    expect(tokensPerSecond(message(1, times))).toBeCloseTo(412 / 5)
    expect(tokensPerSecond(message(1, { ...times, firstTokenMs: null }))).toBeNull()
    expect(tokensPerSecond(message(1, { ...times, usage: null }))).toBeNull()
  })
})
