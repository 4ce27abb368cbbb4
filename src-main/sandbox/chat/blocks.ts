/** A part of a message between tags, such as a document that the studio attached. */
export interface TaggedBlock {
  attributes: Readonly<Record<string, string>>
  text: string
}

const maxEndless = 4

/**
 * The blocks with this tag: `<name …>`, a line break, the text, a line break and `</name>`. The tag may have a number (`<name-2 …>`). Linear in
 * the length of the text. `rest` is the text outside of the blocks.
 */
export function taggedBlocks(name: string, text: string): { blocks: TaggedBlock[]; rest: string } {
  const blocks: TaggedBlock[] = []
  const rest: string[] = []
  const opening = new RegExp(`<(${name}(?:-\\d{1,4})?)((?: [a-z]{1,20}="[^"\\n]{0,1000}"){0,8})>\\n`, 'g')
  /** Tags that do not end. The rest of the text is searched once for each, so more than a few end the search. */
  const endless = new Set<string>()
  let from = 0
  for (let match = opening.exec(text); match && endless.size < maxEndless; match = opening.exec(text)) {
    const [whole, tag = '', attributes = ''] = match
    if (endless.has(tag)) continue
    const start = match.index + whole.length
    const end = text.indexOf(`\n</${tag}>`, start - 1)
    if (end === -1) {
      endless.add(tag)
      continue
    }
    rest.push(text.slice(from, match.index))
    blocks.push({ attributes: attributesOf(attributes), text: text.slice(start, Math.max(start, end)) })
    from = end + tag.length + 4
    opening.lastIndex = from
  }
  rest.push(text.slice(from))
  return { blocks, rest: rest.join(' ') }
}

const entities: Readonly<Record<string, string>> = { amp: '&', quot: '"', lt: '<', gt: '>' }

const attributesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value.replace(/&(amp|quot|lt|gt);/g, (_whole, entity: string) => entities[entity] ?? ''),
    ]),
  )
