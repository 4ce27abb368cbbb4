import type { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import {
  WorkerClient,
  type WorkerClientOptions,
  WorkerExit,
  WorkerTimeout,
} from '../../../src-main/core/shared/workerClient.ts'
import { type EchoJob, startEchoWorker } from './echoWorker.ts'

const clients: WorkerClient<EchoJob, string | number | Uint8Array, string>[] = []
const threads: Worker[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.terminate()
  threads.length = 0
})

function echoClient(options: Partial<WorkerClientOptions> = {}, isStuck = false) {
  const client = new WorkerClient<EchoJob, string | number | Uint8Array, string>({
    name: 'echo',
    async start() {
      const thread = startEchoWorker({ isStuck })
      threads.push(thread)
      return thread
    },
    ...options,
  })
  clients.push(client)
  return client
}
const echo = (text: string) => (): EchoJob => ({ do: 'echo', text })
const count = (): EchoJob => ({ do: 'count' })
const sleep = (): EchoJob => ({ do: 'sleep', ms: 200 })
const spin = (): EchoJob => ({ do: 'spin' })
const isEnded = (thread: Worker | undefined): boolean => thread?.threadId === -1

test('One thread runs all jobs, one after another, and each caller gets its own result and progress', async () => {
  const client = echoClient()
  const progress: string[] = []
  const results = await Promise.all([
    client.run(sleep),
    client.run(echo('a'), { onProgress: (message) => progress.push(message) }),
    client.run(count),
  ])
  expect(results).toEqual(['slept', 'a', 3])
  expect(progress).toEqual(['about to echo a'])
  expect(threads).toHaveLength(1)
})

test('An error thrown by the worker reaches the caller with its kind and facts, and the thread continues', async () => {
  const client = echoClient()
  await expect(client.run(() => ({ do: 'fail' }))).rejects.toMatchObject({
    kind: 'bad_input',
    message: 'This job fails.',
    facts: { said: 'the reason' },
  })
  expect(await client.run(count)).toBe(2)
})

test('A thread that dies rejects the running job, and the next job starts another thread', async () => {
  const client = echoClient()
  const [dying, next] = [client.run(() => ({ do: 'exit' })), client.run(count)]
  await expect(dying).rejects.toThrow(WorkerExit)
  await expect(dying).rejects.toThrow('The echo worker exited (code 7).')
  expect(await next).toBe(1)
  expect(threads).toHaveLength(2)
})

test('A thread that dies between two jobs is replaced', async () => {
  const client = echoClient()
  await client.run(count)
  await threads[0]?.terminate()
  expect(await client.run(count)).toBe(1)
})

test('A failed start rejects the job, and the next job tries again', async () => {
  let starts = 0
  const client = echoClient({
    async start() {
      starts += 1
      if (starts === 1) throw new Error('no such file')
      return startEchoWorker()
    },
  })
  await expect(client.run(count)).rejects.toThrow('no such file')
  expect(await client.run(count)).toBe(1)
})

test('A job that takes too long is rejected, and its thread is terminated', async () => {
  const client = echoClient()
  await client.run(count)
  const late = client.run(spin, { timeoutMs: 50 })
  await expect(late).rejects.toThrow(WorkerTimeout)
  await expect(late).rejects.toMatchObject({ phase: 'job' })
  expect(isEnded(threads[0])).toBe(true)
  expect(await client.run(count)).toBe(1)
})

test('A thread that never becomes ready is given up', async () => {
  const client = echoClient({ startTimeoutMs: 300 }, true)
  await expect(client.run(count)).rejects.toMatchObject({ phase: 'start' })
  expect(isEnded(threads[0])).toBe(true)
})

test('A signal cancels a job before its turn and lets a running one finish', async () => {
  const client = echoClient()
  const controller = new AbortController()
  const running = client.run(sleep, { signal: controller.signal })
  const queued = client.run(count, { signal: controller.signal })
  setTimeout(() => controller.abort(), 20)
  expect(await running).toBe('slept')
  await expect(queued).rejects.toMatchObject({ kind: 'cancelled' })
})

test.each([0, 400])(
  'With isTerminatedOnAbort, a signal after %i ms terminates the thread of the running job',
  async (ms) => {
    const client = echoClient({ isTerminatedOnAbort: true })
    const controller = new AbortController()
    const running = client.run(spin, { signal: controller.signal })
    setTimeout(() => controller.abort(), ms)
    await expect(running).rejects.toMatchObject({ kind: 'cancelled' })
    expect(threads.every(isEnded)).toBe(true)
    expect(await client.run(count)).toBe(1)
  },
)

test('Closing waits for the running job and cancels the others', async () => {
  const client = echoClient()
  const running = client.run(sleep)
  const queued = client.run(count)
  queued.catch(() => undefined)
  // The running job has begun: jobs begin in a later turn of the event loop.
  await new Promise((resolve) => setTimeout(resolve, 20))
  await client.close()
  expect(await running).toBe('slept')
  await expect(queued).rejects.toMatchObject({ kind: 'cancelled' })
  await expect(client.run(count)).rejects.toMatchObject({ kind: 'cancelled' })
  expect(isEnded(threads[0])).toBe(true)
})

test('Terminating cancels the running job at once', async () => {
  const client = echoClient()
  await client.run(count)
  const running = client.run(spin)
  const queued = client.run(count)
  const outcomes = Promise.allSettled([running, queued])
  await new Promise((resolve) => setTimeout(resolve, 20))
  await client.terminate()
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { kind: 'cancelled' } })
  expect(isEnded(threads[0])).toBe(true)
})

test('Buffers are moved to the worker and back, not copied', async () => {
  const client = echoClient()
  const bytes = new Uint8Array(8)
  const filled = await client.run(() => ({ do: 'fill', bytes }), { transfer: [bytes.buffer] })
  expect(bytes.byteLength).toBe(0)
  expect(filled).toEqual(new Uint8Array(8).fill(1))
})

test('An idle thread is stopped after a while, and the next job starts another', async () => {
  const client = echoClient({ idleMs: 30 })
  await client.run(count)
  await expect.poll(() => isEnded(threads[0])).toBe(true)
  expect(await client.run(count)).toBe(1)
})
