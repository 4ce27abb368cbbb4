import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EarlyUpload } from '../../../../../src-renderer/features/chat/handsFree/earlyUpload.ts'
import { seed } from '../../../../helpers/random.ts'

/** A core that stores uploads. An upload finishes when `finish` is called. */
function storage() {
  const stored = new Set<string>()
  const finish = new Map<string, () => void>()
  const early = new EarlyUpload<string>({
    start: (name, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')))
        finish.set(name, () => {
          if (signal.aborted) return
          stored.add(name)
          resolve(name)
        })
      }),
    cancel: (uploadId) => void stored.delete(uploadId),
  })
  return { early, stored, finish }
}
const session = () => new AbortController().signal

test('the upload of the last pause belongs to the turn', async () => {
  const { early, stored, finish } = storage()
  early.begin('first')
  finish.get('first')?.()
  early.begin('second')
  const taken = early.take(session())
  finish.get('second')?.()
  await expect(taken).resolves.toBe('second')
  expect([...stored]).toEqual(['second'])
  expect(early.take(session())).toBeNull()
})

test('the end of the conversation ends the upload of a turn', async () => {
  const { early, finish, stored } = storage()
  early.begin('turn')
  const ended = new AbortController()
  const taken = early.take(ended.signal)
  ended.abort()
  finish.get('turn')?.()
  await expect(taken).rejects.toThrow('aborted')
  expect(stored.size).toBe(0)
})

test('in any order nothing stays stored that no turn has taken', async () => {
  const steps = fc.array(fc.constantFrom('begin', 'finish', 'drop', 'take'), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(steps, async (order) => {
      const { early, stored, finish } = storage()
      const taken: Promise<string>[] = []
      let last = 0
      for (const one of order) {
        if (one === 'begin') early.begin(String(++last))
        else if (one === 'finish') finish.get(String(last))?.()
        else if (one === 'drop') early.drop()
        else taken.push(...[early.take(session())].filter((upload) => upload !== null))
      }
      early.drop()
      for (const end of finish.values()) end()
      const owned = await Promise.all(taken)
      expect([...stored].toSorted()).toEqual(owned.toSorted())
    }),
    { seed },
  )
})
