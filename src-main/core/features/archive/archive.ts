import type {
  ConversationExport,
  Download,
  ImportReport,
  SyncReport,
} from '../../../../src-preload/contract/transfers.ts'
import { StudioError } from '../../errors.ts'
import { exportAll, exportConversation } from './export.ts'
import { importFile } from './import.ts'
import { type SyncDependencies, syncFolder } from './sync/syncFolder.ts'

/** Import and export of conversations. */
export class Archive {
  readonly #parts: SyncDependencies
  #importing: Promise<unknown> | null = null

  constructor(parts: SyncDependencies) {
    this.#parts = parts
  }

  /** @throws StudioError `no_such_item`, `busy` */
  exportConversation = (input: ConversationExport): Promise<Download> => exportConversation(this.#parts, input)

  /** @throws StudioError `busy` */
  exportAll = (): Promise<Download> => exportAll(this.#parts)

  /** Imports one file at a time. @throws StudioError `bad_input`, `no_such_item`, `busy` */
  import = (input: { uploadId: string }): Promise<ImportReport> => this.#alone(() => importFile(this.#parts, input))

  /**
   * Merges the files of other computers in a folder, then writes the file of this one.
   * @throws StudioError as `syncFolder`, `busy`, `cancelled` when the signal aborts
   */
  sync = (input: { folder: string }, signal?: AbortSignal): Promise<SyncReport> =>
    this.#alone(() => syncFolder(this.#parts, input, signal))

  async #alone<T>(start: () => Promise<T>): Promise<T> {
    if (this.#importing) throw new StudioError('busy', 'Another file is being imported. Wait until it is finished.')
    const work = start()
    this.#importing = work
    try {
      return await work
    } finally {
      this.#importing = null
    }
  }

  /** Waits for a running import. */
  async close(): Promise<void> {
    await this.#importing?.catch(() => undefined)
  }
}
