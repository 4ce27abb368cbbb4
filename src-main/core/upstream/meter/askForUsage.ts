import { asBuffer, markLength } from './bytes.ts'
import { hasEscapedLetters, type Member, membersOf, skipSpace } from './json.ts'

const wholeOption = '"stream_options":{"include_usage":true}'
const option = '"include_usage":true'

/** What `readAsked` found, as far as it spares a search. */
interface Known {
  json: boolean
  streamOptions: boolean
}

/**
 * The same body with `stream_options.include_usage: true` put in, every other byte as it was: in front of the other members, or,
 * where null stands in its place, instead of that null. Null where it can't be put in safely: no JSON object, already there
 * (true or declined), named twice, or of another type.
 */
export function askForUsage(body: Uint8Array, known?: Known): Uint8Array | null {
  const bytes = asBuffer(body)
  const start = skipSpace(bytes, markLength(bytes))
  if (bytes[start] !== 0x7b) return null
  // Most bodies name it nowhere, which JSON.parse or a native search proves; only the others are walked through.
  const absent = known?.json ? !known.streamOptions : !bytes.includes('"stream_options"') && !hasEscapedLetters(bytes)
  if (absent) {
    const first = bytes[skipSpace(bytes, start + 1)]
    return first === 0x22 || first === 0x7d ? putFirst(bytes, start, wholeOption, first === 0x7d) : null
  }
  const top = membersOf(bytes, start, ['stream_options'])
  if (top === null || skipSpace(bytes, top.end) !== bytes.length || top.found.length > 1) return null
  const [options] = top.found
  if (options === undefined) return putFirst(bytes, start, wholeOption, top.empty)
  return isNull(bytes, options) ? replace(bytes, options, `{${option}}`) : intoOptions(bytes, options)
}

function intoOptions(bytes: Buffer, options: Member): Buffer | null {
  const members = membersOf(bytes, options.from, ['include_usage'])
  if (members === null || members.found.length > 1) return null
  const [usage] = members.found
  if (usage === undefined) return putFirst(bytes, options.from, option, members.empty)
  return isNull(bytes, usage) ? replace(bytes, usage, 'true') : null
}

function isNull(bytes: Buffer, { from, to }: Member): boolean {
  return to - from === 4 && bytes.toString('latin1', from, to) === 'null'
}

/** In front of the members of the object whose brace is at `brace`. */
function putFirst(bytes: Buffer, brace: number, member: string, empty: boolean): Buffer {
  return replace(bytes, { from: brace + 1, to: brace + 1 }, empty ? member : `${member},`)
}

function replace(bytes: Buffer, { from, to }: Pick<Member, 'from' | 'to'>, text: string): Buffer {
  return Buffer.concat([bytes.subarray(0, from), Buffer.from(text), bytes.subarray(to)])
}
