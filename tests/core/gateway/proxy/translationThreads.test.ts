import { Worker } from 'node:worker_threads'
import { afterEach, expect, it } from 'vitest'
import { TranslationThreads } from '../../../../src-main/core/gateway/proxy/translationThreads.ts'

// Threads that do what a job says: end at once, or run until they are ended.

const script = `
  const { parentPort } = require('node:worker_threads')
  parentPort.on('message', ({ id, job }) => {
    if (job.input === 'for ever') for (;;);
    const [, ms] = /^for ([0-9]+) ms/.exec(job.input ?? '') ?? []
    if (ms) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms))
    parentPort.postMessage({ id, result: { list: job.input, input_tokens: job.bytes?.buffer.byteLength } })
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

const run = (app: string, input: string, gone = new AbortController()) =>
  threads.listItems(app, input, page, gone.signal)
const notInTime = expect.objectContaining({ status: 503, code: 'translation_failed', retryAfterMs: 5000 })

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
  open({ threads: 1, shareMs: 800, jobMs: 60_000 })
  const first = run('a', 'for ever')
  expect(await run('b', 'at last')).toBe('at last')
  // It was tried once more.
  expect(await run('c', 'too')).toBe('too')
  expect(await first).toEqual(notInTime)
  expect(started).toBe(3)
})

it('a job that gave way to another app is done after it', async () => {
  open({ threads: 1, shareMs: 800, jobMs: 60_000 })
  const first = run('a', 'for 1000 ms')
  expect([await run('b', 'short'), await first]).toEqual(['short', 'for 1000 ms'])
})

it('jobs that began just now do not give way, however many apps wait', async () => {
  open({ threads: 3, shareMs: 800, jobMs: 60_000 })
  const long = ['a', 'b', 'c'].map((app) => run(app, 'for ever'))
  for (const job of long) job.catch(() => undefined)
  const apps = ['d', 'e', 'f', 'g', 'h', 'i', 'j']
  expect(await Promise.all(apps.map((app) => run(app, 'for 30 ms')))).toEqual(apps.map(() => 'for 30 ms'))
  // No thread ended but those of the three long jobs.
  expect(started).toBeLessThanOrEqual(6)
})

it('the app whose last job began longest ago is next, however many jobs of other apps arrived before', async () => {
  open({ threads: 2, jobMs: 60_000 })
  const order: string[] = []
  const note = async (app: string, input: string) => {
    await run(app, input)
    order.push(app)
  }
  const jobs = ['a', 'b'].flatMap((app) => Array.from({ length: 5 }, () => note(app, 'for 30 ms')))
  await Promise.all([...jobs, note('c', 'for 30 ms')])
  expect(order.indexOf('c')).toBeLessThan(4)
})

it('a job that runs is ended with its request', async () => {
  open({ threads: 1, jobMs: 60_000 })
  const gone = new AbortController()
  const running = run('a', 'for ever', gone)
  const next = run('a', 'next')
  gone.abort()
  await expect(running).rejects.toMatchObject({ kind: 'cancelled' })
  expect(await next).toBe('next')
  await expect(run('a', 'late', gone)).rejects.toMatchObject({ kind: 'cancelled' })
})

it('a thread gets a copy of a request, not of the larger buffer around it', async () => {
  open()
  const bytes = Buffer.allocUnsafeSlow(1_000_000).subarray(0, 20_000)
  const job = { dialect: 'messages', inPath: {}, bytes } as const
  expect(await threads.countTokens('a', job, new AbortController().signal)).toMatchObject({ input_tokens: 20_000 })
})

it('after the end of the threads, a job is cancelled and starts none', async () => {
  open()
  await threads.terminate()
  await expect(run('a', 'late')).rejects.toMatchObject({ kind: 'cancelled' })
  expect(started).toBe(0)
})

it('a job that waits is cancelled with its request', async () => {
  open({ jobMs: 60_000 })
  run('a', 'for ever').catch(() => undefined)
  const gone = new AbortController()
  const waiting = run('a', 'never', gone)
  gone.abort()
  await expect(waiting).rejects.toMatchObject({ kind: 'cancelled' })
})
