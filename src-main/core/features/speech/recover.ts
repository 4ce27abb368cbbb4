import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { asStudioError } from '../../errors.ts'
import { partName, type SpeechFeature } from './dependencies.ts'
import { finish } from './finish.ts'

/** The problem of a speech that the end of the program interrupted. */
const programEnded: Problem = {
  kind: 'cancelled',
  message: 'Inference Studio ended while this was being spoken. The audio received so far was saved.',
  workPossible: true,
}

/**
 * At start: marks unfinished speeches as cut at once, then joins their existing parts, one speech after another. A speech with all its
 * parts is complete.
 */
export async function recover(feature: SpeechFeature, ids: readonly string[]): Promise<void> {
  await clear(feature, new Set(ids))
  for (const id of ids) {
    if (feature.runs.has(id)) continue
    try {
      await recoverOne(feature, id)
    } catch (thrown) {
      feature.log('error', `The existing parts of a speech could not be joined: ${asStudioError(thrown).message}`)
    }
    feature.changes.notify(id)
  }
}

/** Deletes part files of joined speeches, which the process could not delete before it ended. */
async function clear({ store, media }: SpeechFeature, unsettled: ReadonlySet<string>): Promise<void> {
  const owners = new Set(media.growing.names().flatMap((name) => media.growing.ownerOf(name) ?? []))
  for (const id of owners) {
    if (!unsettled.has(id) && store.speeches.find(id)?.state === 'done') await media.growing.discardAll(id)
  }
}

/** Marks unfinished speeches as `cut`, before any other code reads them. Returns their ids. */
export function markCut({ store: { speeches, transaction } }: Pick<SpeechFeature, 'store'>): string[] {
  return transaction(() => {
    const ids = speeches.unsettled()
    for (const id of ids) {
      if (speeches.find(id)?.state !== 'making') continue
      for (const part of speeches.parts(id)) {
        if (part.state === 'making') speeches.setPart(id, { ...part, state: 'failed', problem: programEnded })
      }
      const whole = speeches.parts(id).every(({ state }) => state === 'done')
      speeches.setState(id, whole ? 'done' : 'cut', whole ? null : programEnded)
    }
    return ids
  })
}

async function recoverOne(feature: SpeechFeature, id: string): Promise<void> {
  const { speeches } = feature.store
  const speech = speeches.find(id)
  if (!speech) return
  const left = new Map((await feature.media.growing.left(id)).map(({ name, bytes }) => [name, bytes]))
  for (const part of speeches.parts(id)) {
    const audioBytes = left.get(partName(id, part.part)) ?? 0
    if (audioBytes === part.audioBytes) continue
    // A complete part without its file must be requested again.
    const state = part.state === 'done' ? 'waiting' : part.state
    speeches.setPart(id, { ...part, state, audioBytes })
  }
  const gap = speech.state === 'done' && speeches.parts(id).some(({ state }) => state !== 'done')
  await finish(feature, id, gap ? 'cut' : speech.state, gap ? programEnded : speech.problem)
}
