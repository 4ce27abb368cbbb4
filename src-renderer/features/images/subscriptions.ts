import * as z from 'zod'
import { type ImagesChange, imageRequest } from '../../../src-preload/contract/images.ts'
import { id } from '../../../src-preload/contract/problem.ts'
import type { Client } from '../../api/connect.ts'
import { perFrame } from '../../api/frames.ts'
import { problemOf } from '../../api/problem.ts'
import { watchWithRetry } from '../../api/watch.ts'
import { intentChanged } from '../../shared/requestIds.ts'
import { localStore } from '../../shared/storage.ts'
import { emptyDraft, type ImageDraft, imagesStore, withChange, withFound } from '../../stores/images.ts'
import { client, setClient } from './client.ts'
import { forgetThumbs } from './thumbs.ts'

/** Subscribes the page's store to the core. Returns the function that unsubscribes. */
export function startImages(given: Client): () => void {
  setClient(given)
  recallDraft()
  const ended = new AbortController()
  const refused = (thrown: unknown) => imagesStore.setState({ state: 'failed', problem: problemOf(thrown) })
  void watchWithRetry(
    given,
    ended.signal,
    async (signal) => {
      const events = perFrame<ImagesChange>((batch) => {
        if (signal.aborted) return
        imagesStore.setState(batch.reduce(withChange, imagesStore.getState()))
        // No event contains the changes during a lost connection, so the search runs again.
        if (batch.some(({ type }) => type === 'snapshot')) void find()
        else if (imagesStore.getState().stale) findSoon()
      })
      try {
        for await (const event of await given.images.watch(undefined, { signal })) events.push(event)
      } finally {
        if (signal.aborted) events.drop()
      }
    },
    refused,
  )
  const stopDraft = imagesStore.subscribe(({ draft }, before) => {
    if (draft !== before.draft) localStore.setJson(draftKey, draft)
  })
  return () => {
    ended.abort()
    finding?.abort()
    clearTimeout(soon)
    stopDraft()
    forgetThumbs()
    setClient(null)
  }
}

/** Time without a key press before a search starts, ms. */
const typingPause = 120
let soon: ReturnType<typeof setTimeout> | undefined
let finding: AbortController | null = null

function findSoon(): void {
  clearTimeout(soon)
  soon = setTimeout(() => void find(), typingPause)
}

/** Reads the images that match the current search, and cancels an earlier read. */
export async function find(): Promise<void> {
  const core = client()
  if (!core) return
  clearTimeout(soon)
  finding?.abort()
  const mine = new AbortController()
  finding = mine
  const { search, favourites } = imagesStore.getState()
  imagesStore.setState({ found: 'loading', stale: false })
  try {
    const { images } = await core.images.find({ search: search.trim(), favourites }, { signal: mine.signal })
    if (!mine.signal.aborted) imagesStore.setState(withFound(imagesStore.getState(), images))
  } catch (thrown) {
    if (!mine.signal.aborted) imagesStore.setState({ found: 'failed', foundProblem: problemOf(thrown) })
  }
}

export function searchFor(search: string): void {
  imagesStore.setState({ search })
  findSoon()
}

export function showFavourites(favourites: boolean): void {
  imagesStore.setState({ favourites })
  void find()
}

const draftKey = 'images.draft'
const storedDraft = imageRequest.extend({
  prompt: z.string().max(100_000),
  from: z.object({ imageId: id, thumbId: id.nullable(), mediaId: id }).nullable(),
})

/** Restores the draft after a reload. */
function recallDraft(): void {
  if (imagesStore.getState().draft !== emptyDraft) return
  const kept = storedDraft.safeParse(localStore.getJson(draftKey))
  if (kept.success) imagesStore.setState({ draft: kept.data })
}

/** Shared by "draw now" and "draw later", because after a lost answer it is unknown which of the two requests the core received. */
export const draftPlace = { scope: 'images', name: 'draft' }

export function setDraft(change: Partial<ImageDraft>): void {
  intentChanged(draftPlace)
  imagesStore.setState(({ draft }) => ({ draft: { ...draft, ...change }, refused: null }))
}
