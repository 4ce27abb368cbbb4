import type { Problem } from '../../../../src-preload/contract/problem.ts'
import type { Transcript, TranscriptWish } from '../../../../src-preload/contract/transcription.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import { soundFile } from '../../shared/audioFileTypes.ts'
import { searchable } from '../../shared/text/splitWords.ts'
import type { TranscriptEnd } from '../../store/transcripts.ts'
import type { CallOptions, Transcription, TranscriptionRequest } from '../../upstream/types.ts'
import type { TranscribeParts } from './dependencies.ts'
import { type Heard, rawOf, readHeard } from './parseReply.ts'
import { paced } from './watcher.ts'

type Service = Awaited<ReturnType<TranscribeParts['upstream']>>

/** One transcript that is being made. */
interface Run {
  id: string
  totalBytes: number
  sentBytes: number
  abort: AbortController
  /** Its row in the books, once that stands; `closed` resolves when that has its end. */
  row: number | null
  closed: PromiseWithResolvers<void>
  ended: boolean
  progress: ReturnType<typeof paced>
  done: Promise<void>
}

export interface TranscriptRequest {
  id: string
  path: string
  fileName: string
  mime: string
  bytes: number
  wish: TranscriptWish
}

export type RunsParts = Pick<TranscribeParts, 'store' | 'costOf' | 'log'> & {
  changed(id: string, what: 'progress' | 'end'): void
}

/** The transcripts that are being made. A window may go and come: the work is the core's. */
export class TranscriptRuns {
  readonly #parts: RunsParts
  readonly #runs = new Map<string, Run>()

  constructor(parts: RunsParts) {
    this.#parts = parts
  }

  /** Bytes of the file that have gone up; null where it is not under way. */
  sentBytes(id: string): number | null {
    return this.#runs.get(id)?.sentBytes ?? null
  }

  /** Asks for one whose row stands already. Answers at once. */
  start(asked: TranscriptRequest, service: Service): void {
    const { id } = asked
    const run: Run = {
      id,
      totalBytes: asked.bytes,
      sentBytes: 0,
      abort: new AbortController(),
      row: null,
      closed: Promise.withResolvers(),
      ended: false,
      progress: paced(() => this.#parts.changed(id, 'progress')),
      done: Promise.resolve(),
    }
    this.#runs.set(id, run)
    run.done = this.#drive(run, asked, service)
      // Only the database can fail here; the transcript is then what a restart finds: cut.
      .catch((thrown: unknown) =>
        this.#parts.log('error', `A transcript could not be written: ${asStudioError(thrown).message}`),
      )
      .finally(() => {
        run.progress.stop()
        this.#runs.delete(id)
      })
  }

  /** Resolves when it is not under way. */
  async over(id: string): Promise<void> {
    await this.#runs.get(id)?.done
  }

  /** Ends it here and now, then closes the connection. False where it had ended. */
  cancel(id: string): boolean {
    return this.#leave(id, 'cancelled', null)
  }

  /** The program ends: what is under way is marked, and all connections are closed. */
  async close(): Promise<void> {
    const runs = [...this.#runs.values()]
    for (const { id } of runs) this.#leave(id, 'cut', programEnded())
    await Promise.all(runs.map(({ done }) => done))
  }

  #leave(id: string, state: 'cancelled' | 'cut', problem: Problem | null): boolean {
    const run = this.#runs.get(id)
    if (!run || run.ended) return false
    try {
      this.#end(run, { state, problem, raw: null, heard: null })
    } finally {
      run.abort.abort()
    }
    return true
  }

  async #drive(run: Run, asked: TranscriptRequest, service: Service): Promise<void> {
    let reply: Transcription | null = null
    let raw: string | null = null
    let heard: Heard | null = null
    let failure: StudioError | null = null
    try {
      reply = await service.createTranscription(await requestOf(asked), this.#options(run))
      raw = rawOf(reply)
      heard = readHeard(reply.format, raw)
    } catch (thrown) {
      failure = asStudioError(thrown)
    }
    // What it cost is known a moment later, when the connection is free again.
    if (run.row !== null) {
      await run.closed.promise
      const cost = this.costOf(run.row)
      this.#write(`cost ${run.id}`, 'What a transcript cost', ({ transcripts }) => transcripts.setCost(run.id, cost))
    }
    if (run.ended) this.#parts.changed(run.id, 'progress')
    else if (failure === null) this.#end(run, { state: 'done', problem: null, raw, heard })
    // The person ended it elsewhere: in the log of requests.
    else if (failure.kind === 'cancelled') this.#end(run, { state: 'cancelled', problem: null, raw, heard })
    else {
      if (failure.kind === 'bug') this.#parts.log('error', failure.message)
      this.#end(run, { state: 'failed', problem: failure.toProblem(), raw, heard })
    }
  }

  #options(run: Run): CallOptions {
    return {
      feature: 'transcribe',
      signal: run.abort.signal,
      onRow: (row) => {
        run.row = row
        this.#write(`asked ${run.id}`, 'The request of a transcript', ({ journal, transcripts }) =>
          journal(() => transcripts.asked(run.id, [row])),
        )
      },
      onClosed: () => run.closed.resolve(),
      onUploaded: (bytes) => {
        run.sentBytes = bytes
        if (!run.ended) run.progress.call()
      },
    }
  }

  #end(
    run: Run,
    { state, problem, raw, heard }: Pick<TranscriptEnd, 'state' | 'problem' | 'raw'> & { heard: Heard | null },
  ): void {
    run.ended = true
    run.progress.stop()
    const { changed } = this.#parts
    const { came = null, text = '', cues = [] } = heard ?? {}
    const sentBytes = state === 'done' ? run.totalBytes : run.sentBytes
    const end = { id: run.id, state, problem, sentBytes, came, raw, text, cues, search: searchOf(text, cues) }
    this.#write(`transcript ${run.id}`, 'A transcript', ({ transaction, transcripts }) => {
      transaction(() => transcripts.settle(end))
      changed(run.id, 'end')
    })
  }

  /** Now, or when the database takes it. */
  #write(key: string, what: string, write: (store: RunsParts['store']) => void): void {
    const { store } = this.#parts
    store.pending.write(key, what, () => write(store))
  }

  /** What a request cost; unknown where the books don't have it. */
  costOf(row: number): ReturnType<TranscribeParts['costOf']> {
    try {
      return this.#parts.costOf(row)
    } catch (thrown) {
      this.#parts.log('warn', `What a transcript cost could not be read: ${asStudioError(thrown).message}`)
      return { cost: null, costIs: 'unknown' }
    }
  }
}

/** Text and cues are the same words unless a person changed one of them: then both are looked through. */
export function searchOf(text: string, cues: Transcript['cues']): string {
  const said = searchable(text)
  const shown = searchable(cues.map((one) => one.text).join(' '))
  return said.includes(shown) ? said : said + shown
}

/** At start, and when the program ends. */
export function programEnded(): Problem {
  return new StudioError('cancelled', 'Inference Studio ended while this transcript was being made.').toProblem()
}

/** The file goes up from the disk as it is read, whatever its size. @throws StudioError `no_such_item` */
async function requestOf({ path, fileName, mime, wish }: TranscriptRequest): Promise<TranscriptionRequest> {
  const { model, language, prompt, format, temperature } = wish
  return {
    file: await soundFile(path, mime),
    fileName,
    ...(model !== null && { model }),
    ...(language !== null && { language }),
    ...(prompt !== null && { prompt }),
    ...(format !== null && { response_format: format }),
    ...(temperature !== null && { temperature }),
  }
}
