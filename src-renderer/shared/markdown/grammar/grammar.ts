import type { Link, Nodes, RootContent } from 'mdast'
import { fromMarkdown, type Options } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import type { Construct, ConstructRecord, Extension } from 'micromark-util-types'
import { addressEnd, besideCjk, cjkEmphasis, endsBeforeCjk } from './cjk.ts'
import { formulaNodes, formulaSyntax, tableWithFormulas } from './formulas.ts'
import { lineBreakNodes, lineBreakSyntax } from './lineBreak.ts'

/** Changes of GFM's own constructs, by name. */
const changes: Record<string, (construct: Construct, end: number) => Construct> = {
  protocolAutolink: endsBeforeCjk,
  wwwAutolink: endsBeforeCjk,
  strikethrough: besideCjk,
  table: tableWithFormulas,
}

function changed(record: ConstructRecord, end: number): ConstructRecord {
  const known = new Map<Construct, Construct>()
  const one = (construct: Construct): Construct => {
    const made = known.get(construct) ?? changes[construct.name ?? '']?.(construct, end) ?? construct
    known.set(construct, made)
    return made
  }
  return Object.fromEntries(
    Object.entries(record).map(([code, constructs]) => [
      code,
      Array.isArray(constructs) ? constructs.map(one) : constructs && one(constructs),
    ]),
  )
}

// A single `~` is a range (18~24) or "about" (~120), not struck text.
const githubs = gfm({ singleTilde: false })

/** @param end see `formulaSyntax` */
function optionsFor(end: number): Options {
  const github: Extension = {
    ...githubs,
    text: changed(githubs.text ?? {}, end),
    flow: changed(githubs.flow ?? {}, end),
  }
  return {
    extensions: [
      github,
      cjkEmphasis,
      formulaSyntax(end),
      lineBreakSyntax,
      // Raw HTML is not a construct: `<script>` is plain text everywhere.
      { disable: { null: ['htmlFlow', 'htmlText'] } },
    ],
    mdastExtensions: [gfmFromMarkdown(), formulaNodes, lineBreakNodes, { transforms: [cutAddresses] }],
  }
}

const settled = optionsFor(Number.POSITIVE_INFINITY)

/**
 * The grammar of every reply: CommonMark 0.31 and GFM without raw HTML, with formulas, `<br>`, and marks and addresses beside CJK text. The
 * page, print, every export and speech read a text with it, so that it reads the same in all of them.
 * @param end offset of the end of a text that still grows. A formula without its closing sign reaches to it, and is `open`.
 * @throws RangeError for nesting that exhausts the stack
 */
export const readMarkdown = (source: string, end?: number): RootContent[] =>
  fromMarkdown(source, end === undefined ? settled : optionsFor(end)).children

/** Ends the addresses that GFM finds after parsing (in unbalanced brackets, or after CJK punctuation), which take all text up to a space. */
function cutAddresses(tree: Nodes): void {
  const rest: Nodes[] = [tree]
  for (let node = rest.pop(); node; node = rest.pop()) {
    if (!('children' in node)) continue
    const children: RootContent[] = node.children
    for (let at = children.length - 1; at >= 0; at--) {
      const child = children[at]
      const text = child?.type === 'link' && child.position === undefined ? textAfterAddress(child) : ''
      if (text !== '') children.splice(at + 1, 0, { type: 'text', value: text })
      if (child) rest.push(child)
    }
  }
}

/** Removes the text after its end from an address, and returns it. */
function textAfterAddress(link: Link): string {
  const [label] = link.children
  const end = label?.type === 'text' ? label.value.search(addressEnd) : -1
  if (label?.type !== 'text' || end < 0) return ''
  const address = label.value.slice(0, end).replace(/[?!.,:;*_~'")\]]+$/, '')
  const text = label.value.slice(address.length)
  link.url = link.url.slice(0, -text.length)
  label.value = address
  return text
}
