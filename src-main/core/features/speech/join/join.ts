import { open, readFile } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SpeechFormat } from '../../../../../src-preload/contract/speech.ts'
import { joinerOf, readSound, soundOf } from './sound.ts'

export interface Joined {
  format: SpeechFormat
  bytes: number
  seconds: number | null
}

/** Bytes per write. Other work runs between two writes. */
const writeBytes = 256 * 1024

/**
 * Joins parts into the file `to`. Returns null if they contain no audio. A single complete part is copied unchanged. Reads one part into
 * memory at a time.
 */
export async function joinParts(
  parts: readonly { path: string; whole: boolean }[],
  { format: asked, pcmRate }: { format: SpeechFormat; pcmRate: number },
  to: string,
): Promise<Joined | null> {
  const [start] = parts
  if (!start) return null
  const first = await readFile(start.path)
  const format = soundOf(first, asked)
  if (format === 'pcm' && asked !== 'pcm') return null
  const file = await open(to, 'w', 0o600)
  try {
    if (parts.length === 1 && start.whole && format !== 'wav') {
      await file.writeFile(first)
      return { format, bytes: first.length, seconds: readSound(first, asked, pcmRate)?.seconds ?? null }
    }
    const joiner = joinerOf(format, first, pcmRate)
    let bytes = joiner.headBytes
    let held: Uint8Array[] = []
    let heldBytes = 0
    const write = async (): Promise<void> => {
      if (heldBytes > 0) await file.write(Buffer.concat(held), 0, heldBytes, bytes)
      bytes += heldBytes
      held = []
      heldBytes = 0
      await nextTurn()
    }
    for (const [index, part] of parts.entries()) {
      const source = index === 0 ? first : await readFile(part.path)
      for (const piece of joiner.add(source, part.whole)) {
        held.push(piece)
        heldBytes += piece.length
        if (heldBytes >= writeBytes) await write()
      }
      await write()
    }
    const { rest, head, seconds } = joiner.end()
    for (const piece of rest) {
      held.push(piece)
      heldBytes += piece.length
    }
    await write()
    if (head.length > 0) await file.write(head, 0, head.length, 0)
    return bytes > joiner.headBytes ? { format, bytes, seconds } : null
  } finally {
    await file.close()
  }
}
