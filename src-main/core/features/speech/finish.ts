import { rm } from 'node:fs/promises'
import type { MakingState } from '../../../../src-preload/contract/createdItems.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { partName, type SpeechFeature } from './dependencies.ts'
import { extensionOf, mimeOf, speechName } from './formats.ts'
import { joinParts } from './join/join.ts'

/**
 * Joins the complete parts and the beginning of the first incomplete part. Stores the result as a media file and writes the final state, in
 * one transaction. The part files stay until the speech is complete, so that `resume` requests only the missing parts.
 * @throws StudioError if the disk is full
 */
export async function finish(
  feature: SpeechFeature,
  id: string,
  state: MakingState,
  problem: Problem | null,
): Promise<void> {
  const { store, media, listening } = feature
  const { settings, excerpt, mediaId: former } = store.speeches.row(id)
  const parts = store.speeches.parts(id)
  const cut = parts.findIndex((part) => part.state !== 'done')
  const files = parts
    .slice(0, cut < 0 ? parts.length : cut + 1)
    .filter((part) => part.audioBytes > 0)
    .map((part) => ({ path: media.growing.pathOf(partName(id, part.part)), whole: part.state === 'done' }))
  const to = media.growing.pathOf(`${id}.joined`)
  const joined = files.length > 0 ? await joinParts(files, settings, to) : null
  if (joined === null) store.speeches.setState(id, state, problem)
  else {
    try {
      const mime = mimeOf[joined.format]
      const name = speechName(excerpt, extensionOf[joined.format])
      await media.addSound({ path: to }, { mime, name }, (item) => {
        store.speeches.setAudio(id, { mediaId: item.id, seconds: joined.seconds, mime: item.mime })
        store.speeches.setState(id, state, problem)
      })
    } finally {
      await rm(to, { force: true })
    }
    if (former !== null) await media.drop([former])
  }
  if (state === 'done' && !listening.has(id)) await media.growing.discardAll(id)
}
