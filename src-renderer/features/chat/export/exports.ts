import { create } from 'zustand'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import type { Client } from '../../../api/connect.ts'
import { problemOf } from '../../../api/problem.ts'
import { save, saveBlob } from '../../../api/transfer.ts'
import { i18n } from '../../../i18n/index.ts'
import { desktopStore } from '../../../shared/desktop.ts'
import { showToast } from '../../../shared/toasts.ts'
import { client } from '../client.ts'
import { nextTask } from '../slices.ts'
import {
  branchOf,
  type ExportedConversation,
  type ExportedMessage,
  everyBranchOf,
  loadConversation,
  versionsOf,
} from './conversation.ts'
import { loadDocumentTexts } from './documentTexts.ts'
import { ImageTooLong } from './errors.ts'
import { type ExportTask, titleOf } from './labels.ts'

export const exportFormats = ['pdf', 'html', 'docx', 'markdown', 'png'] as const
export type ExportFormat = (typeof exportFormats)[number]
export const exportScopes = ['branch', 'everything', 'selection'] as const
export type ExportScope = (typeof exportScopes)[number]

export type ExportState =
  | { step: 'loading' }
  | { step: 'choose' }
  | { step: 'working'; done: number; all: number }
  | { step: 'failed'; problem: Problem | null; reason: string }

export interface ExportStore {
  /** The conversation to export; null while the dialog is closed. */
  conversationId: string | null
  conversation: ExportedConversation | null
  state: ExportState
  scope: ExportScope
  format: ExportFormat
  reasoning: boolean
  /** Whether to include the text of attached files. */
  documents: boolean
  /** Ids of the chosen messages of the branch. */
  selected: ReadonlySet<string>
}

const closed = { conversationId: null, conversation: null, state: { step: 'loading' } } as const
export const useExport = create<ExportStore>(() => ({
  ...closed,
  scope: 'branch',
  format: 'pdf',
  reasoning: false,
  documents: false,
  selected: new Set(),
}))

/** UTF-16 units of a file name: at most 240 bytes, of the 255 that file systems allow. */
const longestName = 80

let work = new AbortController()

/** Cancels the running work before new work begins. */
function restart(): AbortController {
  work.abort()
  work = new AbortController()
  return work
}

/** Opens the Export dialog. @param selected messages to begin with, such as those of a text selection */
export async function openExport(conversationId: string, selected: readonly string[] = []): Promise<void> {
  const core = client()
  if (!core) return
  const { signal } = restart()
  const scope = selected.length > 0 ? 'selection' : 'branch'
  useExport.setState({
    conversationId,
    conversation: null,
    state: { step: 'loading' },
    scope,
    selected: new Set(selected),
  })
  try {
    const conversation = await loadConversation(core, conversationId, signal)
    if (!signal.aborted) useExport.setState({ conversation, state: { step: 'choose' } })
  } catch (thrown) {
    fail(thrown, signal)
  }
}

/** Closes the dialog and cancels a running export. */
export function closeExport(): void {
  work.abort()
  useExport.setState(closed)
}

/** The messages that would be exported. */
export function chosenMessages({ conversation, scope, selected }: ExportStore): ExportedMessage[] {
  if (!conversation) return []
  if (scope === 'everything') return everyBranchOf(conversation)
  const branch = branchOf(conversation)
  return scope === 'branch' ? branch : branch.filter(({ id }) => selected.has(id))
}

/** Exports as chosen, then closes the dialog. Never runs twice at once. */
export async function runExport(): Promise<void> {
  const store = useExport.getState()
  const { conversation, format, reasoning, documents } = store
  const messages = chosenMessages(store)
  const core = client()
  if (!core || !conversation || messages.length === 0 || store.state.step === 'working') return
  const { signal } = restart()
  const onProgress = (done: number): void => {
    if (!signal.aborted) useExport.setState({ state: { step: 'working', done, all: messages.length } })
  }
  onProgress(0)
  try {
    const task: ExportTask = {
      conversation,
      messages,
      versionOf: versionsOf(conversation),
      reasoning,
      documentTexts: null,
      signal,
      onProgress: throttled(onProgress, messages.length),
    }
    const name =
      format === 'markdown'
        ? await saveMarkdown(core, task, documents)
        : await write(
            format,
            documents ? { ...task, documentTexts: await loadDocumentTexts(core, messages, signal) } : task,
          )
    if (signal.aborted) return
    closeExport()
    // Closing a dialog and showing a note compute the styles of the whole page, each for about 20 ms with a message of 1 MB.
    await nextTask()
    if (name !== null) showToast({ id: 'exported', text: i18n.t('exporting:saved', { name }) })
  } catch (thrown) {
    fail(thrown, signal)
  }
}

async function saveMarkdown(core: Client, { conversation, messages, signal }: ExportTask, documentText: boolean) {
  const messageIds = messages.map(({ id }) => id)
  const request = { conversationId: conversation.id, format: 'markdown' as const, messageIds, documentText }
  const download = await core.archive.exportConversation(request, { signal })
  await save(download)
  return download.name
}

/** Writes the file. Returns its name, or null for the print dialog, which reports by itself. */
async function write(format: Exclude<ExportFormat, 'markdown'>, task: ExportTask): Promise<string | null> {
  const title = titleOf(task.conversation)
  if (format === 'pdf') {
    const { documentNodes, printDocument, savePdf } = await import('./printView.ts')
    const nodes = await documentNodes(task)
    task.signal.throwIfAborted()
    if (desktopStore.getState().client) return savePdf(nodes, title, fileTitle(title), task.signal)
    // The dialog of this page must not be open: it would be above the print view.
    useExport.setState(closed)
    await nextTask()
    await printDocument(nodes, title)
    return null
  }
  const blob = await fileOf(format, task)
  task.signal.throwIfAborted()
  const name = `${fileTitle(title)}.${format}`
  await nextTask()
  saveBlob(blob, name)
  await nextTask()
  return name
}

async function fileOf(format: 'html' | 'docx' | 'png', task: ExportTask): Promise<Blob> {
  if (format === 'html') return (await import('./htmlFile.ts')).htmlFile(task)
  if (format === 'docx') return (await import('./docxFile.ts')).docxFile(task)
  return (await import('./pngFile.ts')).pngFile(task)
}

/** At most about a hundred updates. */
function throttled(report: (done: number) => void, all: number): (done: number) => void {
  const every = Math.max(1, Math.floor(all / 100))
  return (done) => {
    if (done % every === 0 || done === all) report(done)
  }
}

function fail(thrown: unknown, signal: AbortSignal): void {
  if (signal.aborted) return
  const reason = thrown instanceof ImageTooLong ? i18n.t('exporting:tooLong') : null
  useExport.setState({
    state: { step: 'failed', problem: reason === null ? problemOf(thrown) : null, reason: reason ?? '' },
  })
}

/** A title as a file name that every operating system accepts, cut at the end of a word. */
function fileTitle(title: string): string {
  const whole = title
    .replaceAll(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .replace(/^[. ]+/, '')
  const cut = whole.slice(0, longestName).toWellFormed()
  const name = (whole.length > longestName ? cut.replace(/ [^ ]*$/, '') : cut).replace(/[. ]+$/, '')
  return name === '' || /^(con|prn|aux|nul|com\d|lpt\d)$/i.test(name) ? 'chat' : name
}
