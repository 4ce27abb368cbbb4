import type { Worker } from 'node:worker_threads'
import { MissingPackage } from '../optionalPackage.ts'
import type { Rendered } from './render.ts'
import type { SandboxSpeechFormat, SandboxSpeechRequest } from './request.ts'
import type { VoiceJob, VoiceReply } from './thread.ts'

export type SynthesizedSpeech = { bytes: Uint8Array; contentType: string; durationMs: number }

const contentTypes: Record<SandboxSpeechFormat, string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

type Waiting = { resolve: (rendered: Rendered) => void; reject: (error: Error) => void }

/** The thread needs about 100 MB (Flite and the encoders), so it ends after this time without work, ms. */
const idleMs = 60_000
let thread: Promise<Worker> | undefined
let retire: NodeJS.Timeout | undefined
let nextId = 0
const waiting = new Map<number, Waiting>()

/**
 * Synthesizes speech: 24 kHz mono. The text is stored as the comment tag in every format except pcm, which has no tags. Rejects if the
 * synthesizer fails. Runs on its own thread.
 */
export const synthesize = async (request: SandboxSpeechRequest): Promise<SynthesizedSpeech> => {
  const { bytes, durationMs } = await onThread(request)
  return { bytes, durationMs, contentType: contentTypes[request.format] }
}

const onThread = async (request: SandboxSpeechRequest): Promise<Rendered> => {
  clearTimeout(retire)
  thread ??= begin()
  const id = nextId++
  const answer = new Promise<Rendered>((resolve, reject) => waiting.set(id, { resolve, reject }))
  try {
    const worker = await thread
    worker.ref()
    const job: VoiceJob = { id, request }
    worker.postMessage(job)
  } catch (error) {
    waiting.delete(id)
    thread = undefined
    throw error
  }
  return answer
}

const begin = async (): Promise<Worker> => {
  const { startThread } = await import('./thread.ts')
  const worker = startThread()
  worker.on('message', (answer: VoiceReply) => settle(worker, answer))
  worker.on('error', (error) => abandon(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', (code) => abandon(new Error(`The speech thread ended (${code})`)))
  return worker
}

const settle = (worker: Worker, answer: VoiceReply): void => {
  const asked = waiting.get(answer.id)
  waiting.delete(answer.id)
  if ('error' in answer) asked?.reject(answer.missing ? new MissingPackage(answer.missing) : new Error(answer.error))
  else asked?.resolve(answer.rendered)
  if (waiting.size > 0) return
  // An idle thread must not prevent the process from ending.
  worker.unref()
  retire = setTimeout(() => {
    thread = undefined
    worker.removeAllListeners('exit')
    void worker.terminate()
  }, idleMs)
  retire.unref()
}

const abandon = (error: Error): void => {
  thread = undefined
  for (const asked of waiting.values()) asked.reject(error)
  waiting.clear()
}
