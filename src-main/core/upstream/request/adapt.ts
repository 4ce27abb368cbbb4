import type { Edit } from './askForUsage.ts'

/** A top-level member of a body: its value, and the bytes of that. */
export interface ScannedMember {
  value: unknown
  from: number
  to: number
}

/** A change of a chat request to what the service reads (docs/decisions/0040-adapted-requests.md). */
export interface Adaptation {
  field: 'stop' | 'max_tokens'
  edits: Edit[]
}

const none: readonly Adaptation[] = []

/** Members that decide about adaptations. */
export const adaptable: ReadonlySet<string> = new Set(['stop', 'max_tokens', 'max_completion_tokens'])

/**
 * The changes of a chat request: a `stop` text becomes a list with it, and `max_tokens` is added where only `max_completion_tokens` is given.
 * @param members those of `adaptable` that the body has. Null for one whose key is repeated or in another case, which is never changed
 */
export function adaptationsOf(members: ReadonlyMap<string, ScannedMember | null>): readonly Adaptation[] {
  if (members.size === 0) return none
  const found: Adaptation[] = []
  const stop = members.get('stop')
  if (typeof stop?.value === 'string')
    found.push({ field: 'stop', edits: [insert(stop.from, '['), insert(stop.to, ']')] })
  const limit = members.get('max_completion_tokens')
  if (limit && isCount(limit.value)) {
    const given = members.get('max_tokens')
    const { value } = limit
    if (given === undefined) found.push({ field: 'max_tokens', edits: [insert(limit.to, `,"max_tokens":${value}`)] })
    else if (given?.value === null) {
      found.push({ field: 'max_tokens', edits: [{ from: given.from, to: given.to, text: String(value) }] })
    }
  }
  return found
}

const insert = (at: number, text: string): Edit => ({ from: at, to: at, text })

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
