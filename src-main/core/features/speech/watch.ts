import type { SpeechChange } from '../../../../src-preload/contract/speech.ts'
import { type Feed, feed } from '../../shared/events.ts'
import type { SpeechFeature } from './dependencies.ts'

const newest = 200
/** Minimum interval between two events of one speech for one watcher, ms. */
const everyMs = 100

/** Emits the newest speeches, then each one that changed, until the signal. Faster changes are combined. */
export function watch({ view, changes, store }: SpeechFeature, signal?: AbortSignal): Feed<SpeechChange> {
  const stale = new Set<string>()
  const sentAt = new Map<string, number>()
  let begun = false
  let timer: NodeJS.Timeout | null = null
  let wakeAgain: () => void = () => undefined

  function next(): SpeechChange | null {
    let soonest = Number.POSITIVE_INFINITY
    for (const id of stale) {
      const early = (sentAt.get(id) ?? Number.NEGATIVE_INFINITY) + everyMs - performance.now()
      if (early <= 0) return changeOf(id)
      soonest = Math.min(soonest, early)
    }
    if (stale.size > 0 && timer === null) {
      timer = setTimeout(() => {
        timer = null
        wakeAgain()
      }, soonest)
    }
    return null
  }

  function changeOf(id: string): SpeechChange {
    stale.delete(id)
    const speech = view.find(id)
    if (speech?.state === 'making') sentAt.set(id, performance.now())
    else sentAt.delete(id)
    return speech ? { type: 'speech', speech } : { type: 'gone', id }
  }

  return feed<SpeechChange>(
    {
      take() {
        if (begun) return next()
        begun = true
        stale.clear()
        const asked = { search: '', favourites: false }
        const speeches = view.page({ ...asked, before: null, limit: newest })
        return { type: 'snapshot', speeches, total: store.speeches.count(asked) }
      },
      subscribe(wake) {
        wakeAgain = wake
        const stop = changes.add((id) => {
          stale.add(id)
          wake()
        })
        return () => {
          stop()
          if (timer) clearTimeout(timer)
        }
      },
    },
    signal,
  )
}
