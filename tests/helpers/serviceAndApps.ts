import { Worker } from 'node:worker_threads'

/** A request of an app. */
export interface ToOtherThread {
  id: number
  url: string
  headers: Record<string, string>
  body: string
}
export type FromOtherThread =
  | { baseUrl: string; key: string }
  | { id: number; status: number }
  | { id: number; error: string }

/** A sandbox and apps on a thread of their own. So the time of the test's own thread is that of the gateway alone. */
export interface ServiceAndApps {
  baseUrl: string
  /** An API key of the sandbox. */
  key: string
  /** Posts JSON to the gateway. Resolves to the status when the whole reply has arrived. */
  post(url: string, headers: Record<string, string>, body: string): Promise<number>
  close(): Promise<void>
}

export async function startServiceAndApps(): Promise<ServiceAndApps> {
  const worker = new Worker(new URL('serviceAndApps.worker.ts', import.meta.url))
  const started = Promise.withResolvers<{ baseUrl: string; key: string }>()
  const running = new Map<number, PromiseWithResolvers<number>>()
  const fail = (error: unknown): void => {
    started.reject(error)
    for (const { reject } of running.values()) reject(error)
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('The thread of the sandbox has ended.')))
  worker.on('message', (message: FromOtherThread) => {
    if ('baseUrl' in message) started.resolve(message)
    else if ('status' in message) running.get(message.id)?.resolve(message.status)
    else running.get(message.id)?.reject(new Error(message.error))
  })
  const { baseUrl, key } = await started.promise
  let lastId = 0
  return {
    baseUrl,
    key,
    async post(url, headers, body) {
      lastId += 1
      const id = lastId
      const answer = Promise.withResolvers<number>()
      running.set(id, answer)
      const message: ToOtherThread = { id, url, headers, body }
      worker.postMessage(message)
      try {
        return await answer.promise
      } finally {
        running.delete(id)
      }
    },
    close: async () => {
      await worker.terminate()
    },
  }
}
