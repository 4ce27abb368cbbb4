import type { Download, ImportReport } from '../../../../src-preload/contract/transfers.ts'
import { StudioError } from '../../errors.ts'
import type { ArchiveDependencies } from './dependencies.ts'
import { exportAll, exportConversation } from './export.ts'
import { importFile } from './import.ts'

/** Import and export of conversations. */
export class Archive {
  readonly #parts: ArchiveDependencies
  #importing: Promise<unknown> | null = null

  constructor(parts: ArchiveDependencies) {
    this.#parts = parts
  }

  /** @throws StudioError `no_such_item`, `busy` */
  exportConversation = (input: { conversationId: string; format: 'markdown' | 'json' }): Promise<Download> =>
    exportConversation(this.#parts, input)

  /** @throws StudioError `busy` */
  exportAll = (): Promise<Download> => exportAll(this.#parts)

  /** Imports one file at a time. @throws StudioError `bad_input`, `no_such_item`, `busy` */
  import = async (input: { uploadId: string }): Promise<ImportReport> => {
    if (this.#importing) throw new StudioError('busy', 'Another file is being imported. Wait until it is finished.')
    const work = importFile(this.#parts, input)
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
