import { parentPort, Worker, workerData } from 'node:worker_threads'
import type { Rendered } from './render.ts'
import type { SandboxSpeechRequest } from './request.ts'

// This file is both ends of the speech thread: imported, it starts a Worker of itself. So the same line works from sources and
// from a bundle, where it is a chunk of its own (it is only ever imported lazily), with no bundler's worker syntax.
const role = 'inference-studio-speech'

export type VoiceJob = { id: number; request: SandboxSpeechRequest }
export type VoiceReply = { id: number; rendered: Rendered } | { id: number; error: string }

export const startThread = (): Worker => new Worker(new URL(import.meta.url), { workerData: { role } })

const port = parentPort
if (port && workerData?.role === role) {
  // node:wasi announces itself as experimental once a thread; nobody who asked for speech can act on that.
  process.removeAllListeners('warning')
  const rendering = import('./render.ts')
  const work = async ({ id, request }: VoiceJob): Promise<VoiceReply> => {
    try {
      const { render } = await rendering
      return { id, rendered: await render(request) }
    } catch (error) {
      return { id, error: error instanceof Error ? error.message : String(error) }
    }
  }
  // One after another: two renderings at once would only share one core and double the memory.
  let queue: Promise<void> = Promise.resolve()
  port.on('message', (job: VoiceJob) => {
    queue = queue.then(async () => port.postMessage(await work(job)))
  })
}
