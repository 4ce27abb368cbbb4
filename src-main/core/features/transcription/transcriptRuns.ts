import { setImmediate } from 'node:timers/promises'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import type { Transcript, TranscriptRequest } from '../../../../src-preload/contract/transcription.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import { soundFile } from '../../shared/audioFileTypes.ts'
import { searchable } from '../../shared/text/splitWords.ts'
import type { TranscriptEnd } from '../../store/transcripts.ts'
import type { CallOptions, TranscriptionRequest } from '../../upstream/types.ts'
import type { TranscribeParts } from './dependencies.ts'
import { type ParsedTranscript, parseReply } from './parseReply.ts'
import { paced } from './watcher.ts'

type Service = Awaited<ReturnType<TranscribeParts['upstream']>>

/** A running transcription. */
interface Run {
  id: string
  totalBytes: number
  sentBytes: number
  abort: AbortController
  /** Id of the request's row in the request log; null before the row exists. `closed` resolves when the row is complete. */
  row: number | null
  closed: PromiseWithResolvers<void>
  ended: boolean
  progress: ReturnType<typeof paced>
  done: Promise<void>
}

export interface TranscriptionJob {
  id: string
  path: string
  fileName: string
  mime: string
  bytes: number
  wish: TranscriptRequest
}

export type RunsParts = Pick<TranscribeParts, 'store' | 'costOf' | 'log'> & {
  changed(id: string, what: 'progress' | 'end'): void
}

/** Running transcriptions. The core owns them, so windows may close and reopen. */
export class TranscriptRuns {
  readonly #parts: RunsParts
  readonly #runs = new Map<string, Run>()

  constructor(parts: RunsParts) {
    this.#parts = parts
  }

  /** Bytes of the file uploaded so far; null if the transcription is not running. */
  sentBytes(id: string): number | null {
    return this.#runs.get(id)?.sentBytes ?? null
  }

  /** Sends the request for an existing row. Returns at once. */
  start(asked: TranscriptionJob, service: Service): void {
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
      // Only the database can fail here. A restart then marks the transcript as cut.
      .catch((thrown: unknown) =>
        this.#parts.log('error', `A transcript could not be written: ${asStudioError(thrown).message}`),
      )
      .finally(() => {
        run.progress.stop()
        this.#runs.delete(id)
      })
  }

  /** Resolves when the transcription is not running. */
  async over(id: string): Promise<void> {
    await this.#runs.get(id)?.done
  }

  /** Ends a run at once, then closes the connection. False if it had already ended. */
  cancel(id: string): boolean {
    return this.#leave(id, 'cancelled', null)
  }

  /** Call at the end of the program: marks running transcriptions as `cut` and closes their connections. */
  async close(): Promise<void> {
    const runs = [...this.#runs.values()]
    for (const { id } of runs) this.#leave(id, 'cut', programEnded())
    await Promise.all(runs.map(({ done }) => done))
  }

  #leave(id: string, state: 'cancelled' | 'cut', problem: Problem | null): boolean {
    const run = this.#runs.get(id)
    if (!run || run.ended) return false
    try {
      this.#end(run, { state, problem, raw: null, parsed: null })
    } finally {
      run.abort.abort()
    }
    return true
  }

  async #drive(run: Run, asked: TranscriptionJob, service: Service): Promise<void> {
    let raw: string | null = null
    let parsed: ParsedTranscript | null = null
    let failure: StudioError | null = null
    try {
      const reply = await service.createTranscription(await requestOf(asked), this.#options(run))
      raw = reply.raw
      // The body was parsed in this turn of the event loop, and a long transcript has many cues.
      await setImmediate()
      parsed = parseReply(reply)
    } catch (thrown) {
      failure = asStudioError(thrown)
    }
    // The cost is known a moment later, when the connection is free again.
    if (run.row !== null) {
      await run.closed.promise
      const cost = this.costOf(run.row)
      this.#write(`cost ${run.id}`, 'The cost of a transcript', ({ transcripts }) => transcripts.setCost(run.id, cost))
    }
    if (run.ended) this.#parts.changed(run.id, 'progress')
    else if (failure === null) this.#end(run, { state: 'done', problem: null, raw, parsed })
    // The person cancelled the request in the request log.
    else if (failure.kind === 'cancelled') this.#end(run, { state: 'cancelled', problem: null, raw, parsed })
    else {
      if (failure.kind === 'bug') this.#parts.log('error', failure.message)
      this.#end(run, { state: 'failed', problem: failure.toProblem(), raw, parsed })
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
    {
      state,
      problem,
      raw,
      parsed,
    }: Pick<TranscriptEnd, 'state' | 'problem' | 'raw'> & { parsed: ParsedTranscript | null },
  ): void {
    run.ended = true
    run.progress.stop()
    const { changed } = this.#parts
    const { came = null, text = '', cues = [] } = parsed ?? {}
    const sentBytes = state === 'done' ? run.totalBytes : run.sentBytes
    const end = { id: run.id, state, problem, sentBytes, came, raw, text, cues, search: searchOf(text, cues) }
    this.#write(`transcript ${run.id}`, 'A transcript', ({ transaction, transcripts }) => {
      transaction(() => transcripts.settle(end))
      changed(run.id, 'end')
    })
  }

  /** Writes now, or when the database accepts it. */
  #write(key: string, what: string, write: (store: RunsParts['store']) => void): void {
    const { store } = this.#parts
    store.pending.write(key, what, () => write(store))
  }

  /** The cost of a request; unknown if the request log does not have it. */
  costOf(row: number): ReturnType<TranscribeParts['costOf']> {
    try {
      return this.#parts.costOf(row)
    } catch (thrown) {
      this.#parts.log('warn', `The cost of a transcript could not be read: ${asStudioError(thrown).message}`)
      return { cost: null, costIs: 'unknown' }
    }
  }
}

/** Searchable text of a transcript. Includes the cues only if a person edited one side, so that their words differ from the text. */
export function searchOf(text: string, cues: Transcript['cues']): string {
  const searched = searchable(text)
  const shown = searchable(cues.map((one) => one.text).join(' '))
  return searched.includes(shown) ? searched : searched + shown
}

/** The problem of a transcript that the end of the program interrupted. */
export function programEnded(): Problem {
  return new StudioError('cancelled', 'Inference Studio ended while this transcript was being made.').toProblem()
}

/** Builds the request, which streams the file from disk. @throws StudioError `no_such_item` */
async function requestOf({ path, fileName, mime, wish }: TranscriptionJob): Promise<TranscriptionRequest> {
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
