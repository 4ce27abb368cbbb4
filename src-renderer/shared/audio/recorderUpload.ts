/** Bytes that go at once, before base64. */
const most = 1_500_000
/** ms between two tries. */
const pause = 500

export interface PieceUploaderOptions {
  /** Takes base64 bytes that belong at `at`, and answers how many it has in all: what it has already it does not take twice. */
  append: (at: number, data: string) => Promise<{ bytes: number }>
  base64: (blob: Blob) => Promise<string>
  /** What stands in the way, and null when it is over. What is answered: whether to try again; if not, `kept` throws it. */
  onTrouble: (thrown: unknown) => boolean | Promise<boolean>
  onKept: (bytes: number) => void
  pauseMs?: number
}

/**
 * Sees to it that each piece of a recording comes to lie where a crash does not reach it. All that was recorded is held here until the end,
 * so whatever goes wrong on the way, what is missing is sent again from the byte that the other side has.
 */
export function createPieceUploader({ append, base64, onTrouble, onKept, pauseMs = pause }: PieceUploaderOptions) {
  const pieces: Blob[] = []
  let size = 0
  let has = 0
  let ended = false
  let failure: { thrown: unknown } | null = null
  let running: Promise<void> | null = null

  const sendAll = async (): Promise<void> => {
    while (has < size && !ended) {
      try {
        const part = new Blob(pieces).slice(has, has + most)
        const { bytes } = await append(has, await base64(part))
        has = Math.min(bytes, size)
        onKept(has)
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
    /** From the first byte on once more: the other side began anew. */
    restart(): void {
      has = 0
    },
    /** All that was added so far lies there. @throws what `onTrouble` gave up on */
    async kept(): Promise<void> {
      while (has < size && failure === null && !ended) await run()
      if (failure !== null) throw failure.thrown
    },
    /** Bytes that lie there. */
    has: () => has,
    /** Everything that was recorded, whatever became of it. */
    whole: (type: string): Blob => new Blob(pieces, { type }),
    end(): void {
      ended = true
    },
  }
}
export type PieceUploader = ReturnType<typeof createPieceUploader>
