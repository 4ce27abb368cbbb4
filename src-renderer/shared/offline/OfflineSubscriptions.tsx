import { useEffect } from 'react'
import type { WaitingState } from '../../../src-preload/contract/outbox.ts'
import type { Client } from '../../api/connect.ts'
import { keepWatching } from '../../api/keepWatching.ts'
import { i18n } from '../../i18n/index.ts'
import { appStore, withToast } from '../../stores/app.ts'
import { featureOfOutboxItem, outboxStore } from '../../stores/outbox.ts'
import { navigate } from '../navigation.ts'
import { useStudio } from '../studioContext.ts'

/** Follows what waits, and tells the core when the network may be back: the window is looked at again, or its browser heard of one. */
export function OfflineLive() {
  const studio = useStudio()
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    const hint = (): void => {
      if (document.visibilityState === 'hidden' || !appStore.getState().app?.connection.offline) return
      // It only makes it sooner: the core looks by itself.
      studio.connection.lookAgain().catch(() => undefined)
    }
    addEventListener('online', hint, { signal })
    addEventListener('focus', hint, { signal })
    document.addEventListener('visibilitychange', hint, { signal })
    void follow(studio, signal)
    return () => ended.abort()
  }, [studio])
  return null
}

async function follow(studio: Client, signal: AbortSignal): Promise<void> {
  let reported: string | null | undefined
  await keepWatching(signal, async (watching) => {
    for await (const now of await studio.waiting.watch(undefined, { signal: watching })) {
      outboxStore.setState(now)
      const at = now.ended?.at ?? null
      // What had ended before this window looked is in its rooms.
      if (reported !== undefined && at !== reported) tellEnded(now.ended)
      reported = at
    }
  })
}

function tellEnded(ended: WaitingState['ended']): void {
  if (!ended) return
  const { done, failed, last } = ended
  const t = i18n.getFixedT(null, 'offline')
  const text = failed === 0 ? t('ended.done', { count: done }) : t('ended.mixed', { done, failed })
  // A transcript stands in its recording, a picture in the gallery: their room shows them first.
  const id = last.what === 'speech' ? last.id : null
  const onClick = (): void => navigate({ page: featureOfOutboxItem[last.what], id })
  appStore.setState((store) => withToast(store, { id: 'waited', text, action: { label: t('ended.show'), onClick } }))
}
