import { membersOf } from '../json/offsets.ts'
import { isFields } from '../json/values.ts'

const wholeOption = '"stream_options":{"include_usage":true}'
const option = '"include_usage":true'

/** A change of a body: `text` replaces the bytes from `from` to before `to`. */
export interface Edit {
  from: number
  to: number
  text: string
}

/** Whether a request asks for the usage, and the change that adds this. */
export interface UsageOption {
  usage: 'asked' | 'declined' | 'absent'
  /** Null when the option is already present or can't be inserted safely. */
  edit: Edit | null
}

/** For a body without `stream_options`: inserts them before its other members. `brace` is the offset of the opening brace. */
export const usageAtStart = (brace: number, isEmpty: boolean): Edit => putFirst(brace, wholeOption, isEmpty)

/**
 * For `stream_options` in the body from `from` to before `to`: inserts before their members, or replaces a null.
 * @param raw their bytes; null when they are too long to be read
 */
export function editUsageOption(raw: Buffer | null, value: unknown, from: number, to: number): UsageOption {
  if (raw === null) return { usage: 'absent', edit: null }
  if (value === null) return { usage: 'absent', edit: { from, to, text: `{${option}}` } }
  if (!isFields(value)) return { usage: 'absent', edit: null }
  if (value.include_usage === true) return { usage: 'asked', edit: null }
  if (value.include_usage !== undefined && value.include_usage !== null) return { usage: 'declined', edit: null }
  const members = membersOf(raw, 0, ['include_usage'])
  if (members === null || members.found.length > 1) return { usage: 'absent', edit: null }
  const [usage] = members.found
  if (usage === undefined) return { usage: 'absent', edit: putFirst(from, option, members.empty) }
  return { usage: 'absent', edit: { from: from + usage.from, to: from + usage.to, text: 'true' } }
}

/** Applies changes, which must not overlap, to a copy of the body. */
export function edited(body: Uint8Array, edits: readonly Edit[]): Buffer {
  const parts: Uint8Array[] = []
  let at = 0
  for (const { from, to, text } of edits.toSorted((a, b) => a.from - b.from)) {
    parts.push(body.subarray(at, from), Buffer.from(text))
    at = to
  }
  return Buffer.concat([...parts, body.subarray(at)])
}

function putFirst(brace: number, member: string, isEmpty: boolean): Edit {
  return { from: brace + 1, to: brace + 1, text: isEmpty ? member : `${member},` }
}
