import { Worker } from 'node:worker_threads'
import { afterEach, expect, it } from 'vitest'
import { TranslationThreads } from '../../../../src-main/core/gateway/proxy/translationThreads.ts'
import { Cancel } from '../../../../src-main/core/shared/cancel.ts'

// Threads that do what a job says: end at once, or run until they are ended.

const script = `
  const { parentPort } = require('node:worker_threads')
  parentPort.on('message', ({ id, job }) => {
    if (job.input === 'for ever') for (;;);
    parentPort.postMessage({ id, result: { list: job.input } })
  })
  parentPort.postMessage('ready')
`
const page = { limit: 1, order: 'asc', after: null } as const
let threads: TranslationThreads
let started = 0
function open(options: ConstructorParameters<typeof TranslationThreads>[0] = {}) {
  started = 0
  const start = (): Worker => {
    started++
    return new Worker(script, { eval: true })
  }
  threads = new TranslationThreads({ start, ...options })
}
afterEach(() => threads.terminate())

const run = (app: string, input: string, gone = new Cancel()) => threads.listItems(app, input, page, gone)
const notInTime = expect.objectContaining({ status: 503, code: 'translation_failed' })

it('a job that does not end delays only jobs of its own app', async () => {
  open({ jobMs: 60_000, shareMs: 60_000 })
  let isOwnDone = false
  run('a', 'for ever').catch(() => undefined)
  run('a', 'own').then(
    () => {
      isOwnDone = true
    },
    () => undefined,
  )
  expect(await Promise.all([run('b', 'one'), run('c', 'two')])).toEqual(['one', 'two'])
  expect(isOwnDone).toBe(false)
})

it('a job that does not end is ended at its deadline, and the thread after it is a new one', async () => {
  open({ jobMs: 300 })
  expect(await run('a', 'for ever')).toEqual(notInTime)
  expect([await run('a', 'for ever'), started]).toEqual([notInTime, 2])
})

it('an app uses one thread at a time, and short jobs share one', async () => {
  open()
  const jobs = Array.from({ length: 20 }, (_, at) => run('a', `${at}`))
  expect(await Promise.all(jobs)).toEqual(jobs.map((_, at) => `${at}`))
  expect(await run('b', 'after')).toBe('after')
  expect(started).toBe(1)
})

it('while every thread is busy, the job that has run longest past its share gives way to another app', async () => {
  open({ threads: 2, shareMs: 300, jobMs: 60_000 })
  const [first, second] = [run('a', 'for ever'), run('b', 'for ever')]
  expect(await run('c', 'at last')).toBe('at last')
  expect(await first).toEqual(notInTime)
  expect(await run('d', 'too')).toBe('too')
  void second.catch(() => undefined)
})

it('a job that waits is cancelled with its request', async () => {
  open({ jobMs: 60_000 })
  run('a', 'for ever').catch(() => undefined)
  const gone = new Cancel()
  const waiting = run('a', 'never', gone)
  gone.abort()
  await expect(waiting).rejects.toMatchObject({ kind: 'cancelled' })
})
