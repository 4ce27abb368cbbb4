import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { asStudioError } from '../../errors.ts'
import { partName, type SpeechFeature } from './dependencies.ts'
import { finish } from './finish.ts'

/** The program ended in the middle. */
const programEnded: Problem = {
  kind: 'cancelled',
  message: 'Inference Studio ended while this was being spoken. What had come is kept.',
  workPossible: true,
}

/**
 * At start: speeches that were in the making say that they were cut, at once; what had come of them is then joined, one after another. One whose parts
 * had all come is whole.
 */
export async function recover(feature: SpeechFeature, ids: readonly string[]): Promise<void> {
  await clear(feature, new Set(ids))
  for (const id of ids) {
    if (feature.runs.has(id)) continue
    try {
      await recoverOne(feature, id)
    } catch (thrown) {
      feature.log('error', `What had come of a speech could not be joined: ${asStudioError(thrown).message}`)
    }
    feature.changes.notify(id)
  }
}

/** Parts of what was joined by then: the process died before they were gone. */
async function clear({ store, media }: SpeechFeature, unsettled: ReadonlySet<string>): Promise<void> {
  const owners = new Set(media.growing.names().flatMap((name) => media.growing.ownerOf(name) ?? []))
  for (const id of owners) {
    if (!unsettled.has(id) && store.speeches.find(id)?.state === 'done') await media.growing.discardAll(id)
  }
}

/** What the database says of them is put right before anybody looks. */
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
    // A whole part without its file is one to be asked for again.
    const state = part.state === 'done' ? 'waiting' : part.state
    speeches.setPart(id, { ...part, state, audioBytes })
  }
  const gap = speech.state === 'done' && speeches.parts(id).some(({ state }) => state !== 'done')
  await finish(feature, id, gap ? 'cut' : speech.state, gap ? programEnded : speech.problem)
}
