import type { Worker } from 'node:worker_threads'
import { splitForSpeech } from '../../shared/text/speechSplit.ts'
import { serveJobs, startWorker } from '../../shared/worker.ts'
import { speakable } from './speakable.ts'

const role = 'inference-studio-speakable'

export const startSpeakableWorker = (): Worker => startWorker(import.meta.url, role, null, { env: {}, argv: [] })

serveJobs<string, string[]>(role, () => ({ handle: (text) => splitForSpeech(speakable(text)) }))
