import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import type { ImportReport } from '../../../../src-preload/contract/transfers.ts'
import type { Client } from '../../../api/connect.ts'
import { problemOf } from '../../../api/problem.ts'
import { save, upload } from '../../../api/transfer.ts'
import { i18n } from '../../../i18n/index.ts'
import { showToast } from '../../../shared/toasts.ts'
import { client } from '../client.ts'

/** The running import or export with its progress. One at a time. */
export type TransferTask =
  | { kind: 'import'; state: 'choose' }
  | { kind: 'import'; state: 'sending'; name: string; sent: number; bytes: number; file: number; files: number }
  | { kind: 'import'; state: 'reading'; name: string; file: number; files: number }
  | { kind: 'import'; state: 'done'; report: ImportReport }
  | { kind: 'export'; state: 'making' }
  | { kind: 'export'; state: 'saving'; name: string }
  | { kind: 'import' | 'export'; state: 'failed'; problem: Problem; again: () => void }

/** `shown` is false while it runs in the background. */
export const transfersStore = createStore<{ work: TransferTask | null; shown: boolean }>(() => ({
  work: null,
  shown: true,
}))
export const useTransfers = <T>(select: (store: { work: TransferTask | null; shown: boolean }) => T): T =>
  useStore(transfersStore, select)

let under: AbortController | null = null

const show = (work: TransferTask | null): void => transfersStore.setState({ work })

/** Cancels the running import or export, and closes its dialog. */
export function cancelTransfer(): void {
  under?.abort()
  under = null
  transfersStore.setState({ work: null, shown: true })
}

/** Closes the dialog. A running import continues and reports its result. */
export function hideTransfer(): void {
  const { work, shown } = transfersStore.getState()
  // Closing the dialog from here fires its close event again.
  if (!work || !shown) return
  if (work.state === 'reading') transfersStore.setState({ shown: false })
  else cancelTransfer()
}

export const chooseImport = (): void => {
  if (under === null) transfersStore.setState({ work: { kind: 'import', state: 'choose' }, shown: true })
  else transfersStore.setState({ shown: true })
}

/** Imports files, one after another, what is good of each. */
export async function importFiles(files: readonly File[]): Promise<void> {
  const core = client()
  if (!core || files.length === 0 || under) return
  const mine = new AbortController()
  under = mine
  transfersStore.setState({ shown: true })
  try {
    let report: ImportReport | null = null
    for (const [at, file] of files.entries()) {
      const place = { file: at + 1, files: files.length }
      const one = await importFile(core, file, place, mine.signal).catch((thrown: unknown) =>
        leftOut(file, place, thrown),
      )
      report = report ? together(report, one) : one
    }
    if (report && !mine.signal.aborted)
      transfersStore.setState({ work: { kind: 'import', state: 'done', report }, shown: true })
  } catch (thrown) {
    if (mine.signal.aborted) return
    const again = (): void => void importFiles(files)
    transfersStore.setState({
      work: { kind: 'import', state: 'failed', problem: problemOf(thrown), again },
      shown: true,
    })
  } finally {
    if (under === mine) under = null
  }
}

async function importFile(
  core: Client,
  file: File,
  place: { file: number; files: number },
  signal: AbortSignal,
): Promise<ImportReport> {
  const { name, size: bytes } = file
  const sending = (sent: number): void => {
    if (!signal.aborted) show({ kind: 'import', state: 'sending', name, sent, bytes, ...place })
  }
  sending(0)
  const uploadId = await upload(core, file, { signal, onProgress: sending })
  show({ kind: 'import', state: 'reading', name, ...place })
  return await core.archive.import({ uploadId }, { signal })
}

/** The report for one of several files that can't be imported, so that the others are. @throws any failure that concerns all files */
function leftOut({ name }: File, { files }: { files: number }, thrown: unknown): ImportReport {
  const { kind, message } = problemOf(thrown)
  if (files === 1 || kind !== 'bad_input') throw thrown
  const nothing = {
    conversations: 0,
    messages: 0,
    pictures: 0,
    known: 0,
    notes: [],
    leftOutMore: 0,
    conversationId: null,
  }
  return { ...nothing, kind: 'archive', leftOut: [{ title: name, reason: message }] }
}

const together = (a: ImportReport, b: ImportReport): ImportReport => ({
  kind: a.kind,
  conversations: a.conversations + b.conversations,
  messages: a.messages + b.messages,
  pictures: a.pictures + b.pictures,
  known: a.known + b.known,
  notes: [...a.notes, ...b.notes],
  leftOut: [...a.leftOut, ...b.leftOut],
  leftOutMore: a.leftOutMore + b.leftOutMore,
  conversationId: a.conversationId ?? b.conversationId,
})

export const exportAll = (): Promise<void> =>
  exported((core, signal) => core.archive.exportAll(undefined, { signal }), exportAll)

export const exportChat = (conversationId: string, format: 'markdown' | 'json'): Promise<void> =>
  exported(
    (core, signal) => core.archive.exportConversation({ conversationId, format }, { signal }),
    () => exportChat(conversationId, format),
  )

type Download = Awaited<ReturnType<Client['archive']['exportAll']>>

/** Delay before an export shows its dialog, ms. */
const patience = 300

async function exported(
  make: (core: Client, signal: AbortSignal) => Promise<Download>,
  again: () => Promise<void>,
): Promise<void> {
  const core = client()
  if (!core || under) return
  const mine = new AbortController()
  under = mine
  const late = setTimeout(
    () => transfersStore.setState({ work: { kind: 'export', state: 'making' }, shown: true }),
    patience,
  )
  try {
    const download = await make(core, mine.signal)
    if (mine.signal.aborted) return
    if (transfersStore.getState().work) show({ kind: 'export', state: 'saving', name: download.name })
    await save(download)
    if (mine.signal.aborted) return
    show(null)
    const text = i18n.t('library:exportDone', { name: download.name })
    showToast({ id: 'exported', text })
  } catch (thrown) {
    if (mine.signal.aborted) return
    const problem = problemOf(thrown)
    const work = { kind: 'export', state: 'failed', problem, again: () => void again() } as const
    transfersStore.setState({ work, shown: true })
  } finally {
    clearTimeout(late)
    if (under === mine) under = null
  }
}
