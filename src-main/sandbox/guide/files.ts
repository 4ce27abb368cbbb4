import { taggedBlocks } from '../chat/blocks.ts'
import { type SandboxChatMessage, textOf } from '../chat/request.ts'
import type { Quotable } from './passages.ts'

/** A part of an attached file. */
export interface FilePassage extends Quotable {
  file: string
  /** The label of its page, slide, sheet or chapter; empty if the file has none. */
  place: string
  /** The number by which a reply cites it; null for a file that is sent in full. */
  number: string | null
}

/** How much text of files is searched, UTF-16 units: about 100 pages, which take about 30 ms. */
const maxText = 300_000
/** Longest passage, UTF-16 units. */
const maxPassage = 600

/** The passages of the files in the user's messages, newest message first. `cut`: there was more text than is searched. */
export function filePassages(messages: readonly SandboxChatMessage[]): { passages: FilePassage[]; cut: boolean } {
  const passages: FilePassage[] = []
  let left = maxText
  for (const message of messages.toReversed()) {
    if (message.role !== 'user') continue
    const text = textOf(message.content)
    const found = taggedBlocks('passage', text).blocks.map(
      ({ attributes: { number, file = '', place = '' }, text }) => {
        return { file, place, number: number ?? null, heading: file, text }
      },
    )
    const files = taggedBlocks('document', text).blocks.flatMap(({ attributes: { name = '' }, text }) =>
      partsOf(text).map((part) => ({ file: name, number: null, heading: name, ...part })),
    )
    for (const passage of [...found, ...files]) {
      left -= passage.text.length
      if (left < 0) return { passages, cut: true }
      passages.push(passage)
    }
  }
  return { passages, cut: false }
}

/** Splits a file at the labels of its pages (`[Page 3]`), at empty lines, and long paragraphs at sentences. */
function partsOf(text: string): { place: string; text: string }[] {
  const parts: { place: string; text: string }[] = []
  let place = ''
  for (const block of text.slice(0, maxText + maxPassage).split(/\n\s*\n/)) {
    const [, label] = /^\[([^\]\n]{1,100})\](?:\n|$)/.exec(block) ?? []
    if (label !== undefined) place = label
    const body = (label === undefined ? block : block.slice(label.length + 2)).trim()
    for (const part of shortened(body)) parts.push({ place, text: part })
  }
  return parts
}

function shortened(text: string): string[] {
  const parts: string[] = []
  let rest = text
  while (rest.length > maxPassage) {
    const start = rest.slice(0, maxPassage)
    const end = Math.max(start.lastIndexOf('. '), start.lastIndexOf('\n'))
    const at = end > maxPassage / 3 ? end + 1 : maxPassage
    parts.push(rest.slice(0, at).trim())
    rest = rest.slice(at)
  }
  parts.push(rest.trim())
  return parts.filter((part) => part !== '')
}
