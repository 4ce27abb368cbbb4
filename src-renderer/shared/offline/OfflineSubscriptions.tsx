import { useEffect } from 'react'
import type { OutboxState } from '../../../src-preload/contract/outbox.ts'
import type { Client } from '../../api/connect.ts'
import { subscribe } from '../../api/watch.ts'
import { i18n } from '../../i18n/index.ts'
import { appStore } from '../../stores/app.ts'
import { outboxStore, pageOfOutboxItem } from '../../stores/outbox.ts'
import { navigate } from '../navigation.ts'
import { useStudio } from '../studioContext.ts'
import { showToast } from '../toasts.ts'

/** Follows the outbox, and notifies the core when the network may be back: the window becomes visible, or the browser reports a network. */
export function OfflineSubscriptions() {
  const studio = useStudio()
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    const hint = (): void => {
      if (document.visibilityState === 'hidden' || !appStore.getState().app?.connection.offline) return
      // Only makes the check earlier: the core also checks automatically.
      studio.connection.testIfOffline().catch(() => undefined)
    }
    addEventListener('online', hint, { signal })
    addEventListener('focus', hint, { signal })
    document.addEventListener('visibilitychange', hint, { signal })
    const stop = followOutbox(studio)
    return () => {
      stop()
      ended.abort()
    }
  }, [studio])
  return null
}

function followOutbox(studio: Client): () => void {
  let reported: string | null | undefined
  return subscribe(
    studio,
    (signal) => studio.outbox.watch(undefined, { signal }),
    (now) => {
      outboxStore.setState(now)
      const at = now.ended?.at ?? null
      // No toast for requests that ended before this window opened: their pages show them.
      if (reported !== undefined && at !== reported) showEnded(now.ended)
      reported = at
    },
  )
}

function showEnded(ended: OutboxState['ended']): void {
  if (!ended) return
  const { done, failed, last } = ended
  const t = i18n.getFixedT(null, 'offline')
  const text = failed === 0 ? t('ended.done', { count: done }) : t('ended.mixed', { done, failed })
  // A transcript opens in its recording, and an image in the gallery, so their page is enough.
  const id = last.what === 'speech' ? last.id : null
  const onClick = (): void => navigate({ page: pageOfOutboxItem[last.what], id })
  showToast({ id: 'waited', text, action: { label: t('ended.show'), onClick } })
}
