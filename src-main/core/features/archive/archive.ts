import type { Download, ImportReport } from '../../../../src-preload/contract/transfers.ts'
import { StudioError } from '../../errors.ts'
import type { ArchiveParts } from './dependencies.ts'
import { exportAll, exportConversation } from './export.ts'
import { importFile } from './import.ts'

export type { ArchiveParts } from './dependencies.ts'

/** Conversations into files and out of them. */
export class Archive {
  readonly #parts: ArchiveParts
  #importing: Promise<unknown> | null = null

  constructor(parts: ArchiveParts) {
    this.#parts = parts
  }

  /** @throws StudioError `no_such_item`, `busy` */
  exportConversation = (input: { conversationId: string; format: 'markdown' | 'json' }): Promise<Download> =>
    exportConversation(this.#parts, input)

  /** @throws StudioError `busy` */
  exportAll = (): Promise<Download> => exportAll(this.#parts)

  /** One at a time. @throws StudioError `bad_input`, `no_such_item`, `busy` */
  import = async (input: { uploadId: string }): Promise<ImportReport> => {
    if (this.#importing) throw new StudioError('busy', 'Another file is being read in. Wait until that has ended.')
    const work = importFile(this.#parts, input)
    this.#importing = work
    try {
      return await work
    } finally {
      this.#importing = null
    }
  }

  /** Waits for a file that is being read in. */
  async close(): Promise<void> {
    await this.#importing?.catch(() => undefined)
  }
}
