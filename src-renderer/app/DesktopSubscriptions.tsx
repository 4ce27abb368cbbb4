import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { type GivenFile, givenPath, type WindowEvent, type WindowProgress } from '../../src-preload/contract/desktop.ts'
import type { DesktopClient } from '../api/connect.ts'
import { subscribe } from '../api/watch.ts'
import { addFiles } from '../features/chat/documents/addFiles.ts'
import { printChat } from '../features/chat/export/printChat.ts'
import { type TransferTask, transfersStore } from '../features/chat/list/transfers.ts'
import { showNames } from '../i18n/format.ts'
import { callAll } from '../shared/callAll.ts'
import { desktopStore, useDesktop } from '../shared/desktop.ts'
import { navigate } from '../shared/navigation.ts'
import { showToast } from '../shared/toasts.ts'
import { newChat } from '../stores/chat.ts'
import { type DataStore, dataStore } from '../stores/data.ts'

/** Follows the desktop host: opened files, "Print…" of the menu, the global shortcut. Does nothing under the web host. */
export function DesktopSubscriptions() {
  const { t } = useTranslation('shell')
  const client = useDesktop((store) => store.client)
  useEffect(() => {
    if (!client) return
    const take = (event: WindowEvent): void => {
      if (event.type === 'print') printChat()
      if (event.type !== 'files') return
      if (event.skipped.length > 0) {
        const names = showNames(event.skipped.slice(0, 3))
        showToast({ id: 'files', text: t('filesSkipped', { count: event.skipped.length, names }) })
      }
      if (event.files.length > 0) void openFiles(event.files, () => showToast({ id: 'files', text: t('filesGone') }))
    }
    const stops = [
      subscribe(
        client,
        (signal) => client.watch(undefined, { signal }),
        (state) => desktopStore.setState({ state }),
      ),
      subscribe(client, (signal) => client.watchWindow(undefined, { signal }), take),
      followProgress(client),
    ]
    return () => callAll(stops)
  }, [client, t])
  return null
}

/** Puts opened files into the composer of a new chat. Nothing is sent. */
async function openFiles(given: readonly GivenFile[], failed: () => void): Promise<void> {
  navigate({ page: 'chat', id: null })
  try {
    const files: File[] = []
    for (const { id, name, mime } of given) {
      const reply = await fetch(givenPath + id, { cache: 'no-store' })
      if (!reply.ok) throw new Error(`The file could not be read (${reply.status}).`)
      files.push(new File([await reply.blob()], name, { type: mime }))
    }
    addFiles(files, newChat)
  } catch {
    // The file was deleted or renamed since.
    failed()
  }
}

/** Reports the progress of long work of this window to the taskbar or the dock, in steps of one percent. */
function followProgress(client: DesktopClient): () => void {
  let shown: WindowProgress = null
  const report = (): void => {
    const now = progressNow({ ...dataStore.getState(), transfer: transfersStore.getState().work })
    const progress = typeof now === 'number' ? Math.round(now * 100) / 100 : now
    if (progress === shown) return
    shown = progress
    // A lost connection removes the window's bar with the window.
    client.showProgress({ progress }).catch(() => undefined)
  }
  const stops = [dataStore.subscribe(report), transfersStore.subscribe(report)]
  report()
  return () => callAll(stops)
}

const share = (done: number, total: number): number => (total > 0 ? Math.min(1, Math.max(0, done / total)) : 0)

/** The progress of the long work that this window knows of: backup, restore, deletion, import, export. */
function progressNow({ data, erase, transfer }: DataStore & { transfer: TransferTask | null }): WindowProgress {
  const work = data?.backup ?? data?.restore
  if (work) return share(work.done, work.total)
  const parts = erase?.running?.parts
  if (parts) {
    const sum = (of: (part: { items: number; done: number }) => number): number =>
      parts.reduce((all, one) => all + of(one), 0)
    return share(
      sum(({ done }) => done),
      sum(({ items }) => items),
    )
  }
  if (transfer?.kind === 'import' && transfer.state === 'sending') {
    return share(transfer.file - 1 + share(transfer.sent, transfer.bytes), transfer.files)
  }
  const isWithoutEnd = transfer?.state === 'reading' || transfer?.state === 'making' || transfer?.state === 'saving'
  return isWithoutEnd ? 'unknown' : null
}
