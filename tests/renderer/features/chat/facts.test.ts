import { describe, expect, it } from 'vitest'
import { remarkOn, runningSpeed, spentOf, tokensPerSecond } from '../../../../src-renderer/features/chat/facts.ts'
import { message } from './harness/scenes.ts'

describe('the facts of a reply', () => {
  it('[CHAT-06] explain an empty answer with a length finish, and a text that was cut by the limit', () => {
    expect(remarkOn(message(1, { text: '', reasoning: 'long', finishReason: 'length' }))).toBe('emptyLength')
    expect(remarkOn(message(1, { text: 'abc', finishReason: 'length' }))).toBe('cutLength')
    expect(remarkOn(message(1, { text: '', finishReason: 'stop' }))).toBe('emptyReply')
    expect(remarkOn(message(1, { text: 'abc', finishReason: 'stop' }))).toBeNull()
  })

  it('contain the speed from the first token to the end, unless a figure is missing', () => {
    const times = { createdAt: '2026-01-01T00:00:00.000Z', finishedAt: '2026-01-01T00:00:05.400Z', firstTokenMs: 400 }
    expect(tokensPerSecond(message(1, times))).toBeCloseTo(412 / 5)
    expect(tokensPerSecond(message(1, { ...times, firstTokenMs: null }))).toBeNull()
    expect(tokensPerSecond(message(1, { ...times, usage: null }))).toBeNull()
  })

  it('estimate the speed of a running reply from its length, but not within the first second', () => {
    const began = Date.parse('2026-01-01T00:00:00.000Z')
    const reply = message(1, {
      createdAt: new Date(began).toISOString(),
      firstTokenMs: 500,
      text: 'x'.repeat(400),
      status: 'streaming',
    })
    expect(runningSpeed(reply, began + 1_400)).toBeNull()
    expect(runningSpeed(reply, began + 2_500)).toBe(50)
    expect(runningSpeed({ ...reply, firstTokenMs: null }, began + 9_000)).toBeNull()
  })

  it('add the cost of a path exactly, each request once, and call the sum estimated when one part is', () => {
    const paid = (n: number, cost: string | null, over: Parameters<typeof message>[1] = {}) =>
      message(n, { cost, costIs: cost === null ? 'unknown' : 'measured', ...over })
    expect(spentOf([message(0, {}), paid(1, '0.1'), paid(3, '0.2')])).toEqual({ amount: '0.3', estimated: false })
    expect(spentOf([paid(1, '0.1', { requestRow: 7 }), paid(3, '0.1', { requestRow: 7 })])?.amount).toBe('0.1')
    expect(spentOf([paid(1, '0.000000000000000001'), paid(3, '1')])?.amount).toBe('1.000000000000000001')
    expect(spentOf([paid(1, '0.1'), paid(3, null)])).toEqual({ amount: '0.1', estimated: true })
    expect(spentOf([paid(1, '0.1', { costIs: 'estimated' })])?.estimated).toBe(true)
    expect(spentOf([message(0, {}), paid(1, null)])).toBeNull()
  })
})
