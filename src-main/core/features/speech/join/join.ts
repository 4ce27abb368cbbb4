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
  { format: requested, pcmRate }: { format: SpeechFormat; pcmRate: number },
  to: string,
): Promise<Joined | null> {
  const [start] = parts
  if (!start) return null
  const first = await readFile(start.path)
  const format = soundOf(first, requested)
  if (format === 'pcm' && requested !== 'pcm') return null
  const file = await open(to, 'w', 0o600)
  try {
    if (parts.length === 1 && start.whole && format !== 'wav') {
      await file.writeFile(first)
      return { format, bytes: first.length, seconds: readSound(first, requested, pcmRate)?.seconds ?? null }
    }
    const joiner = joinerOf(format, first, pcmRate)
    let bytes = joiner.headBytes
    let pending: Uint8Array[] = []
    let pendingBytes = 0
    const write = async (): Promise<void> => {
      if (pendingBytes > 0) await file.write(Buffer.concat(pending), 0, pendingBytes, bytes)
      bytes += pendingBytes
      pending = []
      pendingBytes = 0
      await nextTurn()
    }
    for (const [index, part] of parts.entries()) {
      const source = index === 0 ? first : await readFile(part.path)
      for (const piece of joiner.add(source, part.whole)) {
        pending.push(piece)
        pendingBytes += piece.length
        if (pendingBytes >= writeBytes) await write()
      }
      await write()
    }
    const { rest, head, seconds } = joiner.end()
    for (const piece of rest) {
      pending.push(piece)
      pendingBytes += piece.length
    }
    await write()
    if (head.length > 0) await file.write(head, 0, head.length, 0)
    return bytes > joiner.headBytes ? { format, bytes, seconds } : null
  } finally {
    await file.close()
  }
}
