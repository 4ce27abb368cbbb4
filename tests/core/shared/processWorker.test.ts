import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { WorkerClient, WorkerExit, WorkerTimeout } from '../../../src-main/core/shared/workerClient.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { type EchoJob, startEchoProcess } from './echoWorker.ts'

const folder = temporaryFolder()
const clients: WorkerClient<EchoJob, string | number | Uint8Array, string>[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.terminate()
})

function echoClient() {
  const client = new WorkerClient<EchoJob, string | number | Uint8Array, string>({
    name: 'echo',
    start: startEchoProcess,
    isTerminatedOnAbort: true,
  })
  clients.push(client)
  return client
}
const pid = async (client: ReturnType<typeof echoClient>): Promise<number> =>
  Number(await client.run(() => ({ do: 'pid' })))
const spin = (): EchoJob => ({ do: 'spin' })

function isRunning(process_: number): boolean {
  try {
    return process.kill(process_, 0)
  } catch {
    return false
  }
}

test('Jobs run in one process of their own; results, progress and errors arrive as from a thread', async () => {
  const client = echoClient()
  const progress: string[] = []
  const echoed = await client.run(() => ({ do: 'echo', text: 'a' }), {
    onProgress: (message) => progress.push(message),
  })
  expect([echoed, progress]).toEqual(['a', ['about to echo a']])
  const [first, second] = [await pid(client), await pid(client)]
  expect(first).toBe(second)
  expect(first).not.toBe(process.pid)
  await expect(client.run(() => ({ do: 'fail' }))).rejects.toMatchObject({
    kind: 'bad_input',
    facts: { said: 'the reason' },
  })
})

test('A process that is killed during a job rejects it, and the next job starts another', async () => {
  const client = echoClient()
  const first = await pid(client)
  const running = client.run(spin)
  const rejected = expect(running).rejects.toThrow(WorkerExit)
  process.kill(first, 'SIGKILL')
  await rejected
  expect(await pid(client)).not.toBe(first)
})

test('A job beyond its time, or whose signal aborts, ends with its process', async () => {
  const client = echoClient()
  const first = await pid(client)
  await expect(client.run(spin, { timeoutMs: 50 })).rejects.toThrow(WorkerTimeout)
  expect(isRunning(first)).toBe(false)
  const second = await pid(client)
  const stop = new AbortController()
  const running = client.run(spin, { signal: stop.signal })
  setTimeout(() => stop.abort(), 20)
  await expect(running).rejects.toMatchObject({ kind: 'cancelled' })
  expect(isRunning(second)).toBe(false)
})

test.each(['buffers', 'objects'] as const)(
  'A job that fills the memory with %s ends with its process',
  async (what) => {
    const client = echoClient()
    await expect(client.run(() => ({ do: what }))).rejects.toMatchObject({
      cause: { code: 'ERR_WORKER_OUT_OF_MEMORY' },
    })
    expect(await client.run(() => ({ do: 'count' }))).toBe(1)
  },
)

test('The process has no secret of this one, writes no file and starts no program', async () => {
  const client = echoClient()
  const names = Object.keys(JSON.parse(String(await client.run(() => ({ do: 'environment' })))))
  expect(names).not.toContain('PATH')
  expect(names).not.toContain('HOME')
  const path = join(folder, 'written')
  await expect(client.run(() => ({ do: 'write', path }))).rejects.toThrow(/restricted/)
  expect(existsSync(path)).toBe(false)
  await expect(client.run(() => ({ do: 'program' }))).rejects.toThrow(/restricted/)
})

test('The process ends when its parent is killed', async () => {
  const parent = spawn(process.execPath, [
    ...['--input-type=module', '--eval'],
    `import { startEchoProcess } from ${JSON.stringify(new URL('echoWorker.ts', import.meta.url).href)}
     const worker = await startEchoProcess()
     worker.on('error', () => {})
     worker.on('message', (message) => {
       if (message === 'ready') worker.postMessage({ id: 1, job: { do: 'pid' } })
       else {
         console.log(message.result)
         worker.postMessage({ id: 2, job: { do: 'spin' } })
       }
     })`,
  ])
  const child = Number(String((await once(parent.stdout, 'data'))[0]))
  expect(isRunning(child)).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => isRunning(child)).toBe(false)
})
