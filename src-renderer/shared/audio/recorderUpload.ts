import { partBytes } from '../../../src-preload/contract/transfers.ts'

/** Pause between two attempts, ms. */
const pause = 500

export interface PieceUploaderOptions {
  /** Appends bytes at the offset `at` and returns the stored total. Bytes that are already stored are ignored. */
  append: (at: number, piece: Blob) => Promise<number>
  /** Called with a failure, and with null when uploading works again. Returns whether to retry. When false, `stored` throws the failure. */
  onTrouble: (thrown: unknown) => boolean | Promise<boolean>
  onStored: (bytes: number) => void
  pauseMs?: number
}

/**
 * Uploads the pieces of a recording while it runs, so that a crash loses little. All pieces stay in memory until the end: after any
 * failure, the upload continues at the byte that the other side has.
 */
export function createPieceUploader({ append, onTrouble, onStored, pauseMs = pause }: PieceUploaderOptions) {
  const pieces: Blob[] = []
  let size = 0
  let has = 0
  let ended = false
  let failure: { thrown: unknown } | null = null
  let running: Promise<void> | null = null

  const sendAll = async (): Promise<void> => {
    while (has < size && !ended) {
      try {
        const stored = await append(has, new Blob(pieces).slice(has, has + partBytes))
        has = Math.min(stored, size)
        onStored(has)
      } catch (thrown) {
        if (ended) return
        if (!(await onTrouble(thrown))) {
          failure = { thrown }
          return
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
  }
  const run = (): Promise<void> => {
    running ??= sendAll().finally(() => {
      running = null
    })
    return running
  }
  return {
    add(piece: Blob): void {
      pieces.push(piece)
      size += piece.size
      if (failure === null) void run()
    },
    /** Uploads everything again from the first byte, because the other side has started over. */
    restart(): void {
      has = 0
    },
    /**
     * Resolves when all pieces added so far are stored.
     * @throws the failure for which `onTrouble` returned false
     */
    async stored(): Promise<void> {
      while (has < size && failure === null && !ended) await run()
      if (failure !== null) throw failure.thrown
    },
    /** Stored bytes. */
    has: () => has,
    /** The whole recording from memory, uploaded or not. */
    whole: (type: string): Blob => new Blob(pieces, { type }),
    end(): void {
      ended = true
    },
  }
}
export type PieceUploader = ReturnType<typeof createPieceUploader>
