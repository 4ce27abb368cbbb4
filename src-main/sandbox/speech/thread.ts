import { parentPort, Worker, workerData } from 'node:worker_threads'
import { missingPackage } from '../optionalPackage.ts'
import type { Rendered } from './render.ts'
import type { SandboxSpeechRequest } from './request.ts'

// Both ends of the speech thread: when imported, this file starts a Worker of itself. The same code works from sources and from a bundle,
// where this file is its own chunk (it is only imported lazily), without bundler-specific worker syntax.
const role = 'inference-studio-speech'

export type VoiceJob = { id: number; request: SandboxSpeechRequest }
/** `missing` is the name of an optional package that is not installed. */
export type VoiceReply = { id: number; rendered: Rendered } | { id: number; error: string; missing: string | null }

export const startThread = (): Worker => new Worker(new URL(import.meta.url), { workerData: { role } })

const port = parentPort
if (port && workerData?.role === role) {
  // node:wasi prints an experimental warning once per thread, which users cannot act on.
  process.removeAllListeners('warning')
  const rendering = import('./render.ts')
  // The first job reports the failure. Without this line, a rejection before that job would end the thread.
  rendering.catch(() => undefined)
  const work = async ({ id, request }: VoiceJob): Promise<VoiceReply> => {
    try {
      const { render } = await rendering
      return { id, rendered: await render(request) }
    } catch (error) {
      return { id, error: error instanceof Error ? error.message : String(error), missing: missingPackage(error) }
    }
  }
  // One rendering at a time: concurrent renderings would share one CPU core and double the memory.
  let queue: Promise<void> = Promise.resolve()
  port.on('message', (job: VoiceJob) => {
    queue = queue.then(async () => port.postMessage(await work(job)))
  })
}
