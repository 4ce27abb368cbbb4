import { randomUUID } from 'node:crypto'
import type { MakingState } from '../../../../src-preload/contract/createdItems.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import type { Speech, SpeechDetail, SpeechPlan, SpeechRequest } from '../../../../src-preload/contract/speech.ts'
import { asStudioError, mayHaveLeft, StudioError } from '../../errors.ts'
import { Listeners } from '../../shared/events.ts'
import { type SpeechPlace, speechPlaces } from '../../shared/text/speechSplit.ts'
import { unexpected } from '../../shared/unexpected.ts'
import { untilWritten } from '../../store/pendingWrites.ts'
import type { SpeechFeature, SpeechParts, SpeechUpstream } from './dependencies.ts'
import { finish } from './finish.ts'
import { mimeOf } from './formats.ts'
import { listen } from './listen.ts'
import { markCut, recover } from './recover.ts'
import { type SpokenSound, save, soundOf } from './save.ts'
import { speakParts } from './speak.ts'
import { SpeechRun } from './speechRun.ts'
import { SpeechView } from './view.ts'
import { watch } from './watch.ts'

export type Speeches = ReturnType<typeof createSpeeches>

/** Creates the speech feature. The core owns running speeches. Marks speeches that an earlier process left unfinished as `cut` at once. */
export function createSpeeches(parts: SpeechParts) {
  const { speeches } = parts.store
  const runs = new Map<string, SpeechRun>()
  const changes = new Listeners<[id: string]>()
  const closing = new AbortController()
  const around = {
    runs,
    changes,
    view: new SpeechView(speeches, runs, parts.priceOf),
    listening: new Map(),
    closing: closing.signal,
  }
  const feature: SpeechFeature = { ...parts, ...around }
  let closed = false
  /** Resolves when the parts of interrupted speeches are joined. */
  const recovered = recover(feature, markCut(feature)).catch((thrown: unknown) =>
    unexpected('Interrupted speeches could not be recovered', thrown),
  )

  function start(id: string, upstream: SpeechUpstream): void {
    const run = new SpeechRun(id)
    runs.set(id, run)
    run.changes.add(() => changes.notify(id))
    run.done = drive(run, upstream)
  }

  async function drive(run: SpeechRun, upstream: SpeechUpstream): Promise<void> {
    try {
      const failure = await speakParts(feature, run, upstream).then(
        () => null,
        (thrown: unknown) => asStudioError(thrown),
      )
      // The row stays unchanged, and the next start joins the parts.
      if (run.ending === 'closing') return
      if (failure?.kind === 'bug') parts.log('error', failure.message)
      if (failure === null) {
        await end(run, 'done', null)
        const sizes = speeches.parts(run.id).map(({ bytes }) => bytes)
        if (parts.priceOf(speeches.row(run.id).settings.model, sizes) === null) parts.priceWanted()
      } else if (run.ending || failure.kind === 'cancelled') await end(run, 'cancelled', null)
      else await end(run, 'failed', failure.toProblem())
    } catch (thrown) {
      // The row stays unchanged for the next start.
      if (closing.signal.aborted) return
      const failure = asStudioError(thrown)
      parts.log('error', `A speech could not be joined: ${failure.message}`)
      parts.store.pending.write(`speech ${run.id}`, 'The end of a speech', () =>
        speeches.setState(run.id, 'failed', failure.toProblem()),
      )
    } finally {
      runs.delete(run.id)
      run.changes.notify()
    }
  }

  const end = ({ id }: SpeechRun, state: MakingState, problem: Problem | null): Promise<void> =>
    untilWritten('The end of a speech', () => finish(feature, id, state, problem), closing.signal)

  async function cancel(id: string): Promise<void> {
    const run = runs.get(id)
    run?.end('cancelled')
    await run?.done
  }

  return {
    watch: (signal?: AbortSignal) => watch(feature, signal),
    listen: (input: { id: string; fromPart: number }, signal?: AbortSignal) => listen(feature, input, signal),
    find(input: { search: string; favourites: boolean; before: string | null; limit: number }) {
      return { speeches: feature.view.page(input), total: speeches.count(input) }
    },
    /** @throws StudioError `no_such_item` */
    get: ({ id }: { id: string }): SpeechDetail => feature.view.detail(id),
    plan: (request: SpeechRequest): SpeechPlan => planOf(parts, request),
    /**
     * Stores a speech, then requests it. `alongside` runs in the same transaction. `requestId` becomes the id of the speech: if a speech
     * with that id exists, returns it and requests nothing.
     * @param by the app that makes it, with a client that sends its requests; null: a person does
     * @throws StudioError `bad_input`, `not_connected`, and errors of `alongside`
     */
    async make(
      {
        requestId: id = randomUUID(),
        fromId,
        text,
        ...settings
      }: SpeechRequest & { requestId?: string; fromId: string | null },
      alongside: () => void = () => undefined,
      by: { app: string; upstream: SpeechUpstream } | null = null,
    ): Promise<Speech> {
      const places = placesOf(text)
      const upstream = speeches.find(id) ? null : (by?.upstream ?? (await parts.upstream()))
      // Checks again, because a concurrent call with this id may have waited for the connection too.
      if (!upstream || speeches.find(id)) {
        parts.store.transaction(alongside)
        return feature.view.get(id)
      }
      const createdAt = new Date().toISOString()
      parts.store.transaction(() => {
        const app = by?.app ?? null
        speeches.insert({ id, createdAt, text, settings, places, fromId, app, mime: mimeOf[settings.format] })
        alongside()
      })
      start(id, upstream)
      changes.notify(id)
      return feature.view.get(id)
    },
    /** Resolves with the final state when the speech is not running. @throws StudioError `no_such_item` */
    async over(id: string): Promise<Speech['state']> {
      await runs.get(id)?.done
      return speeches.row(id).state
    },
    /**
     * Removes a speech that was never sent, and returns its input for editing. A speech with spoken parts must be resumed instead.
     * @throws StudioError `no_such_item`, `bad_input`
     */
    takeBack(id: string): SpeechRequest & { fromId: string | null } {
      const { state, problem, settings, fromId } = speeches.get(id)
      const untouched = speeches.parts(id).every(({ state }) => state === 'waiting' || state === 'failed')
      if (state !== 'failed' || problem?.unsent !== true || !untouched) throw mayHaveLeft()
      const text = speeches.text(id)
      for (const gone of speeches.setRemoved([id], new Date().toISOString())) changes.notify(gone)
      return { ...settings, text, fromId }
    },
    /** Stops a running speech. An ended speech does not change. @throws StudioError `no_such_item` */
    async cancel({ id }: { id: string }): Promise<Speech> {
      speeches.get(id)
      await cancel(id)
      return feature.view.get(id)
    },
    /** Requests the missing parts. @throws StudioError `no_such_item`, `not_connected` */
    async resume({ id }: { id: string }): Promise<Speech> {
      speeches.get(id)
      await recovered
      const upstream = await parts.upstream()
      // The speech has already ended in the database, and its run is still cleaning up.
      if (speeches.get(id).state !== 'making') await runs.get(id)?.done
      const { state } = speeches.get(id)
      if (state !== 'done' && !runs.has(id) && !closed) {
        speeches.setState(id, 'making', null)
        for (const part of speeches.parts(id)) {
          if (part.state === 'failed') speeches.setPart(id, { ...part, state: 'waiting', problem: null })
        }
        start(id, upstream)
        changes.notify(id)
      }
      return feature.view.get(id)
    },
    /** @throws StudioError `no_such_item` */
    favourite({ id, favourite }: { id: string; favourite: boolean }): Speech {
      speeches.get(id)
      speeches.setFavourite(id, favourite)
      changes.notify(id)
      return feature.view.get(id)
    },
    /** Sets the sample rate of stored plain samples, Hz. @throws StudioError `no_such_item`, `bad_input` */
    setRate({ id, pcmRate }: { id: string; pcmRate: number }): Speech {
      const { mime, state } = speeches.get(id)
      if (mime !== mimeOf.pcm) throw new StudioError('bad_input', 'Only plain samples (pcm) have an adjustable rate.')
      if (state === 'making') throw new StudioError('bad_input', 'This speech is still in progress.')
      speeches.setRate(id, pcmRate)
      changes.notify(id)
      return feature.view.get(id)
    },
    /** Whether a speech with this id exists, visible or deleted. */
    has: (id: string): boolean => speeches.find(id) !== null,
    save: (input: { id: string; as: 'made' | 'wav' }) => save(feature, input),
    /** The audio for the transcription feature. @throws StudioError `no_such_item` */
    sound: (id: string): Promise<SpokenSound> => soundOf(feature, id),
    /** Hides speeches at once and cancels those that are running. */
    async remove({ ids }: { ids: readonly string[] }): Promise<{ removed: number }> {
      const moved = speeches.setRemoved(ids, new Date().toISOString())
      for (const id of moved) changes.notify(id)
      await Promise.all(moved.map(cancel))
      return { removed: moved.length }
    },
    restore({ ids }: { ids: readonly string[] }): { restored: number } {
      const moved = speeches.setRemoved(ids, null)
      for (const id of moved) changes.notify(id)
      return { restored: moved.length }
    },
    /** Call after rows were deleted permanently: notifies watchers and deletes files in `making/`. */
    async erased(ids: readonly string[]): Promise<void> {
      for (const id of ids) {
        await parts.media.growing.discardAll(id)
        changes.notify(id)
      }
    },
    recovered,
    /** Call at the end of the program. Received audio stays, and the next start marks running speeches as `cut`. */
    async close(): Promise<void> {
      closed = true
      closing.abort()
      const all = [...runs.values()]
      for (const run of all) run.end('closing')
      await Promise.all(all.map(({ done }) => done))
      await recovered
    },
  }
}

/** Estimates parts, cost and length of a text. The length is extrapolated by bytes from earlier speeches. */
function planOf({ store, priceOf }: Pick<SpeechParts, 'store' | 'priceOf'>, request: SpeechRequest): SpeechPlan {
  const parts = speechPlaces(request.text)
  const sizes = parts.map(({ bytes }) => bytes)
  const spoken = store.speeches.before(request)
  return {
    bytes: Buffer.byteLength(request.text),
    parts,
    cost: parts.length === 0 ? null : priceOf(request.model, sizes),
    seconds: spoken.bytes > 0 ? (spoken.seconds * sizes.reduce((sum, bytes) => sum + bytes, 0)) / spoken.bytes : null,
  }
}

/** Splits a text into the parts to speak. @throws StudioError `bad_input` if the text has nothing to speak */
function placesOf(text: string): SpeechPlace[] {
  const places = speechPlaces(text)
  if (places.length === 0) throw new StudioError('bad_input', 'This text contains nothing to speak.')
  return places
}
