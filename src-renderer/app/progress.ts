import type { WindowProgress } from '../../src-preload/contract/desktop.ts'
import type { TransferTask } from '../features/chat/list/transfers.ts'
import type { DataStore } from '../stores/data.ts'

const share = (done: number, total: number): number => (total > 0 ? Math.min(1, Math.max(0, done / total)) : 0)

/** The progress of the long work that this window knows of: backup, restore, deletion, import, export. */
export function progressNow({ data, erase, transfer }: DataStore & { transfer: TransferTask | null }): WindowProgress {
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
