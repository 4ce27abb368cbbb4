import type { CacheChange } from '../../../../src-preload/contract/sessions.ts'
import type { HashedSection } from '../../ports/requests.ts'

/** A request, as far as its prompt is compared. */
export interface ComparedPrompt {
  model: string | null
  sections: readonly HashedSection[]
}

/** What changed at the start of a prompt since the request before. */
export interface PromptChange {
  change: CacheChange
  /** Number of sections that are equal from the start. */
  kept: number
  /** The first section that differs, or null when none does: of the later request, or of the earlier one when it was removed. */
  section: HashedSection | null
}

/**
 * Finds the first section that changed, and why. A prompt that only grew keeps all sections of the one before. Linear in the number of
 * sections.
 */
export function comparePrompts(before: ComparedPrompt, now: ComparedPrompt): PromptChange {
  const kept = sameFromStart(before.sections, now.sections)
  const old = before.sections[kept]
  const fresh = now.sections[kept]
  if (before.model !== now.model) return { change: 'model', kept, section: null }
  if (old === undefined) return { change: 'none', kept, section: null }
  const change = changeAt(before.sections, now.sections, old, fresh)
  return { change, kept, section: change === 'tool_removed' ? old : (fresh ?? old) }
}

function sameFromStart(before: readonly HashedSection[], now: readonly HashedSection[]): number {
  const most = Math.min(before.length, now.length)
  let kept = 0
  while (kept < most && before[kept]?.hash === now[kept]?.hash) kept += 1
  return kept
}

function changeAt(
  before: readonly HashedSection[],
  now: readonly HashedSection[],
  old: HashedSection,
  fresh: HashedSection | undefined,
): CacheChange {
  if (old.kind === 'tool' || fresh?.kind === 'tool') return toolChange(before, now, old, fresh)
  const isSystem = old.kind === 'system' && fresh?.kind === 'system'
  if (fresh && old.kind === fresh.kind) {
    if (old.undated === fresh.undated) return isSystem ? 'system_time' : 'message_time'
    if (old.unnumbered === fresh.unnumbered) return isSystem ? 'system_number' : 'message_number'
  }
  if (old.kind === 'system' || fresh?.kind === 'system') return 'system'
  return isShorter(before, now, fresh) ? 'history_shortened' : 'history'
}

/** Whether messages were removed: the prompt has fewer of them, or goes on with a message that came later before. */
function isShorter(
  before: readonly HashedSection[],
  now: readonly HashedSection[],
  fresh: HashedSection | undefined,
): boolean {
  return fresh === undefined || now.length < before.length || before.some(({ hash }) => hash === fresh.hash)
}

function toolChange(
  before: readonly HashedSection[],
  now: readonly HashedSection[],
  old: HashedSection,
  fresh: HashedSection | undefined,
): CacheChange {
  const [earlier, later] = [toolsOf(before), toolsOf(now)]
  if (fresh?.kind === 'tool' && old.name === fresh.name) {
    if (old.undated === fresh.undated) return 'tool_time'
    return old.unnumbered === fresh.unnumbered ? 'tool_number' : 'tool_changed'
  }
  const isAdded = fresh?.kind === 'tool' && !earlier.has(fresh.name)
  const isRemoved = old.kind === 'tool' && !later.has(old.name)
  if (isAdded && isRemoved) return 'tool_changed'
  if (isAdded) return 'tool_added'
  return isRemoved ? 'tool_removed' : 'tool_order'
}

const toolsOf = (sections: readonly HashedSection[]): Set<string | null> =>
  new Set(sections.flatMap(({ kind, name }) => (kind === 'tool' ? [name] : [])))

/**
 * The size that a prompt shares with another: of the sections that it has too, wherever they are, and whatever dates and numbers they
 * contain. `of` has the hashes without numbers of the other prompt.
 */
export const sharedSize = (sections: readonly HashedSection[], of: ReadonlySet<string>): number =>
  sections.reduce((sum, { unnumbered, size }) => (of.has(unnumbered) ? sum + size : sum), 0)

export const sizeOf = (sections: readonly HashedSection[]): number => sections.reduce((sum, { size }) => sum + size, 0)
