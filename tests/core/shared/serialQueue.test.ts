import { describe, expect, it } from 'vitest'
import { SerialQueue } from '../../../src-main/core/shared/serialQueue.ts'

describe('a serial queue', () => {
  it('starts a job only after the one before it has ended, also when that one failed', async () => {
    const queue = new SerialQueue()
    const first = Promise.withResolvers<never>()
    const seen: string[] = []
    const failed = queue.run(() => {
      seen.push('first started')
      return first.promise
    })
    const second = queue.run(() => seen.push('second'))
    await Promise.resolve()
    expect(seen).toEqual(['first started'])
    first.reject(new Error('no'))
    await expect(failed).rejects.toThrow('no')
    expect(await second).toBe(2)
  })

  it('has ended when its last job has, whatever the result', async () => {
    const queue = new SerialQueue()
    await queue.ended()
    const job = Promise.withResolvers<never>()
    const failed = queue.run(() => job.promise)
    let isOver = false
    const ended = queue.ended().then(() => (isOver = true))
    await Promise.resolve()
    expect(isOver).toBe(false)
    job.reject(new Error('no'))
    await expect(failed).rejects.toThrow('no')
    await ended
  })
})
