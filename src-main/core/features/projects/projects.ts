import type { AttachedDocument } from '../../../../src-preload/contract/documents.ts'
import {
  maxPassages,
  maxPinnedFiles,
  numberPassages,
  type Passage,
  type PassagePlace,
  type PassageToSend,
  type ProjectContext,
  type ProjectCost,
  samePlace,
  wholeFiles,
} from '../../../../src-preload/contract/projects.ts'
import { StudioError } from '../../errors.ts'
import { fromNano } from '../../shared/money.ts'
import { WorkerClient } from '../../shared/workerClient.ts'
import type { StoredPassage } from '../../store/passages.ts'
import type { Store } from '../../store/store.ts'
import { countTokens } from '../../upstream/reply/tokens.ts'
import { PassageIndexer } from './search/passageIndexer.ts'
import type { PassageJob } from './search/worker.ts'

export interface ProjectsOptions {
  store: Pick<
    Store,
    'folders' | 'pinnedFiles' | 'passages' | 'documents' | 'conversations' | 'conversationCosts' | 'messages'
  >
  /** Path of the database file, for the worker thread that searches. */
  databaseFile: string
  /** Deletes originals to which nothing refers any more. */
  dropMedia(ids: readonly string[]): Promise<void>
  /** Called when the files of a project have changed. */
  changed(): void
}

/** The chat whose next message gets a context. */
export interface ContextOf {
  conversationId: string | null
  folderId: string | null
  /** The message above; absent: the end of the active path. */
  parentId?: string | null | undefined
  text: string
  /** Passages that the person removed from the message. Default: none. */
  without?: readonly PassagePlace[] | undefined
}

export type Projects = ReturnType<typeof createProjects>

/** A passage before it is numbered for the path of a message. */
type UnnumberedPassage = Omit<Passage, 'number'>

const nothing: ProjectContext = { documents: [], passages: [], indexing: 0 }
/** How much text before and after a passage is shown with it, UTF-16 units. */
const shownAround = 30_000
/** The search thread is stopped after this time without a search, ms. */
const idleMs = 120_000

/** Pinned files of projects: whole files and passages for messages. Projects are stored as folders. */
export function createProjects({ store, databaseFile, dropMedia, changed }: ProjectsOptions) {
  const { pinnedFiles, passages } = store
  const search = new WorkerClient<PassageJob, StoredPassage[]>({
    name: 'passages',
    start: async () => (await import('./search/worker.ts')).startPassageWorker(databaseFile),
    idleMs,
  })
  const indexer = new PassageIndexer({
    table: passages,
    checkpoint: () => search.run(() => 'checkpoint').catch(() => undefined),
    indexed: changed,
  })
  indexer.wake()

  /** The project of a chat and the message above its next one. */
  function placeOf({ conversationId, folderId, parentId }: ContextOf) {
    if (conversationId === null) return { folderId, parentId: null }
    const conversation = store.conversations.get(conversationId)
    return {
      folderId: conversation.folderId,
      parentId: parentId === undefined ? conversation.leafId : parentId,
    }
  }

  return {
    /** What the replies of the project's chats cost, as far as known. */
    cost({ folderId }: { folderId: string }): ProjectCost {
      const { cost, ...counts } = store.conversationCosts.ofFolder(folderId)
      return { ...counts, cost: fromNano(cost) }
    },
    /** @throws StudioError `no_such_item`, `bad_input` when the project has 64 files */
    pin({ folderId, mediaId, name }: { folderId: string; mediaId: string; name: string }): void {
      if (!store.folders.find(folderId)) throw new StudioError('no_such_item', 'That project does not exist any more.')
      if (!store.documents.find(mediaId)) throw new StudioError('no_such_item', 'That document no longer exists.')
      const files = pinnedFiles.files(folderId)
      if (files.length >= maxPinnedFiles && !files.some((file) => file.mediaId === mediaId)) {
        throw new StudioError('bad_input', `A project can have at most ${maxPinnedFiles} files.`)
      }
      pinnedFiles.insert({ folderId, mediaId, name, addedAt: new Date().toISOString() })
      indexer.wake()
      changed()
    },
    /** @throws StudioError `no_such_item` */
    async unpin({ folderId, mediaId }: { folderId: string; mediaId: string }): Promise<void> {
      if (!pinnedFiles.remove(folderId, mediaId)) {
        throw new StudioError('no_such_item', 'The project does not have that file any more.')
      }
      indexer.wake()
      changed()
      await dropMedia([mediaId])
    },
    /**
     * What the project of a chat adds to its next message.
     * @throws StudioError `no_such_item`, `cancelled`
     */
    async context(of: ContextOf, signal?: AbortSignal): Promise<ProjectContext> {
      const { folderId, parentId } = placeOf(of)
      const folder = folderId === null ? null : store.folders.find(folderId)
      const files = folder ? pinnedFiles.files(folder.id) : []
      if (!folder || files.length === 0) return nothing
      const whole = wholeFiles(files, folder.wholeTokens)
      const searched = files.filter(({ mediaId }) => !whole.has(mediaId))
      const mediaIds = searched.map(({ mediaId }) => mediaId)
      const ask = { text: of.text, mediaIds, limit: maxPassages }
      const found = mediaIds.length === 0 || of.text.trim() === '' ? [] : await search.run(() => ask, { signal })
      const names = new Map(files.map(({ mediaId, name }) => [mediaId, name]))
      const order = new Map(mediaIds.map((mediaId, at) => [mediaId, at]))
      const { without = [] } = of
      const wanted = found.filter((one) => !without.some((removed) => samePlace(one, removed)))
      const sorted = wanted.toSorted(
        (a, b) => (order.get(a.mediaId) ?? 0) - (order.get(b.mediaId) ?? 0) || a.part - b.part || a.start - b.start,
      )
      const onPath = store.messages.filesOn(parentId)
      const sent = new Set(onPath.documents.flatMap(({ mediaId, pages }) => (pages === null ? [mediaId] : [])))
      return {
        documents: files
          .filter(({ mediaId }) => whole.has(mediaId) && !sent.has(mediaId))
          .map(({ isIndexed: _, ...file }): AttachedDocument => ({ ...file, pages: null })),
        passages: numberPassages(
          sorted.map((one) => passageOf(one, names.get(one.mediaId) ?? '')),
          onPath.passages,
        ),
        indexing: searched.filter(({ isIndexed }) => !isIndexed).length,
      }
    },
    /** Passages as members of a message. @throws StudioError `no_such_item` when a file was removed after the search */
    attach: (selections: readonly PassageToSend[]): UnnumberedPassage[] =>
      selections.map((selection) => {
        const found = passages.at(selection)
        if (!found) throw new StudioError('no_such_item', 'A file of this project was removed. Send the message again.')
        return passageOf(found, selection.name)
      }),
    /** The text around a passage in its file; null when the file is gone or has another text there. */
    source({ mediaId, part, start, end, text }: Pick<Passage, 'mediaId' | 'part' | 'start' | 'end' | 'text'>) {
      const whole = store.passages.partText(mediaId, part)
      if (whole === null || whole.slice(start, end) !== text) return null
      const [from, to] = [Math.max(0, start - shownAround), Math.min(whole.length, end + shownAround)]
      const before = whole.slice(from, start)
      return {
        // The cut may be inside of a surrogate pair.
        before: before.toWellFormed(),
        after: whole.slice(end, to).toWellFormed(),
        isCut: from > 0 || to < whole.length,
      }
    },
    /** Call when folders were deleted, files were added by an import, or a file has another text. */
    wake: (): void => indexer.wake(),
    /** Resolves when all pinned files are indexed. */
    indexed: (): Promise<void> => indexer.settled(),
    async close(): Promise<void> {
      await indexer.close()
      await search.close()
    },
  }
}

function passageOf({ mediaId, part, start, text, label }: StoredPassage, name: string): UnnumberedPassage {
  return { mediaId, name, label, part, start, end: start + text.length, tokens: countTokens(text), text }
}
