import { memo, useDeferredValue, useEffect, useMemo, useReducer, useState } from 'react'
import { type Block, BlockSplitter, ended, type FlowBlock, sizeOf, type TextBlock } from './blocks.ts'
import { CodeBlock } from './CodeBlock.tsx'
import { Pieces } from './code/Pieces.tsx'
import { useMarkdownTexts } from './messages.ts'
import { Nodes, PlainText } from './nodes.tsx'
import { parseBlock } from './parse.ts'
import { isTableAlone, joinTables } from './tables.ts'
import './markdown.css'

/** Characters of the end of a long text that are drawn at once when it appears. The rest follows section by section. */
const firstChars = 12_000
/** Characters that are split into blocks within one task. Takes about 5 ms. */
const readAtOnce = 100_000
/** Longest parsing within one task, ms, apart from a single block. */
const parsingMs = 8
/** Sections that are drawn without being asked for: about 3 MB. Each element of more would cost memory and every layout time. */
const drawnSections = 400

/**
 * A markdown text that may grow. A change parses only the unfinished block of the newest section. A long text is split, parsed and drawn in
 * steps, so that the page never waits for it.
 * @param whole draws all sections at once, for printing
 * @param growing draws the caret. The last code block of a text that no longer grows is complete, also without its last line break.
 */
export function Markdown({
  text,
  growing = false,
  whole = false,
}: {
  text: string
  growing?: boolean
  whole?: boolean
}) {
  const t = useMarkdownTexts()
  const [splitter] = useState(() => new BlockSplitter())
  const sections = splitter.update(growing ? text : ended(text), whole ? Number.POSITIVE_INFINITY : readAtOnce)
  const { isBehind } = splitter
  const [readOn, goOn] = useReducer((count: number) => count + 1, 0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each part that was read continues with the next one
  useEffect(() => {
    if (!isBehind) return
    const timer = setTimeout(goOn)
    return () => clearTimeout(timer)
  }, [isBehind, readOn, text])
  const { from, to, showMore } = useDrawn(sections, isBehind)
  const [first, end] = whole ? [0, sections.length] : [from, to]
  return (
    <div className="md" data-growing={growing} aria-busy={end === 0 && isBehind ? true : undefined}>
      {showMore && (
        <button type="button" className="md-earlier" onClick={showMore}>
          {t('showEarlier')}
        </button>
      )}
      {sections.slice(first, end).map((blocks, at) => (
        <Section
          key={sectionKey(first + at)}
          blocks={blocks}
          settled={first + at < sections.length - 1}
          growing={growing}
        />
      ))}
    </div>
  )
}

const sectionKey = (at: number): string => `s${at}`

type Sections = readonly (readonly Block[])[]
interface Drawn {
  from: number
  to: number
  /** How many sections may be drawn. */
  limit: number
}

/**
 * Which sections to draw: at first those at the end, then one more after each painted frame, newer ones first. None while the splitter reads
 * the text for the first time, because nobody knows the end yet.
 */
function useDrawn(sections: Sections, isBehind: boolean): { from: number; to: number; showMore: (() => void) | null } {
  const [kept, setKept] = useState<Drawn | null>(null)
  const drawn = isBehind && kept === null ? null : following(kept, sections)
  if (drawn !== kept) setKept(drawn)
  const { from, to, limit } = drawn ?? { from: 0, to: 0, limit: drawnSections }
  const isMore = drawn !== null && (to < sections.length || (from > 0 && to - from < limit))
  // Starts again only when another section is next, and not at each change of the growing one.
  const next = isMore ? sections[to < sections.length ? to : from - 1] : undefined
  useEffect(() => {
    if (!next) return
    let frame = requestAnimationFrame(draw)
    return () => cancelAnimationFrame(frame)

    function draw(): void {
      if (next && !isParsed(next)) frame = requestAnimationFrame(draw)
      else
        setKept(
          (now) =>
            now && (now.to < to + 1 && to < sections.length ? { ...now, to: to + 1 } : { ...now, from: from - 1 }),
        )
    }
  }, [next, from, to, sections.length])
  const isCut = drawn !== null && from > 0 && to - from >= limit
  return { from, to, showMore: isCut ? () => setKept({ from, to, limit: limit + drawnSections }) : null }
}

/** What to draw of sections that may have changed since. */
function following(kept: Drawn | null, sections: Sections): Drawn {
  const count = sections.length
  // A shorter text replaced the text.
  if (kept === null || count < kept.to) {
    let from = Math.max(0, count - 1)
    let chars = charsOf(sections[from])
    while (from > 0 && chars + charsOf(sections[from - 1]) <= firstChars) chars += charsOf(sections[--from])
    return { from, to: count, limit: kept?.limit ?? drawnSections }
  }
  // A growing text draws its newest section at once.
  return count === kept.to + 1 ? { ...kept, to: count, limit: kept.limit + 1 } : kept
}

const charsOf = (section: readonly Block[] = []): number => section.reduce((sum, block) => sum + sizeOf(block), 0)

/** Parses blocks for some ms, so that drawing them parses nothing. Whether all are parsed. */
function isParsed(section: readonly Block[]): boolean {
  const until = performance.now() + parsingMs
  for (const block of section) {
    if (performance.now() > until) return false
    if (block.kind === 'flow' && !block.open) parseBlock(block)
  }
  return true
}

interface SectionProps {
  blocks: readonly Block[]
  settled: boolean
  growing: boolean
}

const Section = memo(function Section({ blocks, settled, growing }: SectionProps) {
  return (
    <div className={settled ? 'md-section md-settled' : 'md-section'}>
      {blocks.map((block, at) => {
        if (block.kind !== 'flow') return <TextView key={blockKey(block, at)} block={block} growing={growing} />
        // The previous block draws this block.
        if (carriesOn(blocks, at)) return null
        return <FlowView key={blockKey(block, at)} blocks={runFrom(blocks, at)} />
      })}
    </div>
  )
})

const blockKey = (block: Block, at: number): string => `${block.kind}${at}`

const TextView = memo(function TextView({ block, growing }: { block: TextBlock; growing: boolean }) {
  if (block.kind === 'code')
    return <CodeBlock language={block.language} pieces={block.pieces} open={block.open && growing} />
  return (
    <PlainText>
      <Pieces pieces={block.pieces} />
    </PlainText>
  )
})

/** Whether a block continues the table before it. Such a block contains only a table. */
function carriesOn(blocks: readonly Block[], at: number): boolean {
  const [before, block] = [blocks[at - 1], blocks[at]]
  return block?.kind === 'flow' && block.carries && before?.kind === 'flow' && isTableAlone(parseBlock(before))
}

function runFrom(blocks: readonly Block[], first: number): FlowBlock[] {
  let end = first + 1
  while (end < blocks.length && carriesOn(blocks, end)) end++
  return blocks.slice(first, end).filter((block) => block.kind === 'flow')
}

/** A block, or a table with all blocks that continue it. */
const FlowView = memo(
  function FlowView({ blocks }: { blocks: readonly FlowBlock[] }) {
    // A block near the size limit may take longer to parse than one frame. Deferring lets the block lag behind without blocking typing.
    const shown = useDeferredValue(useSame(blocks))
    // A deferred render shows the previous result. Without the memo, it would parse twice per frame.
    const { nodes, isPlain } = useMemo(() => {
      const parsed = joinTables(shown.map(parseBlock))
      return { nodes: <Nodes nodes={parsed} />, isPlain: parsed[0]?.type === 'plain' }
    }, [shown])
    return shown[0]?.continues && !isPlain ? <div className="md-continues">{nodes}</div> : nodes
  },
  (before, after) => sameBlocks(before.blocks, after.blocks),
)

/** Returns the previous list while its elements are the same. */
function useSame(blocks: readonly FlowBlock[]): readonly FlowBlock[] {
  const [kept, setKept] = useState(blocks)
  if (sameBlocks(kept, blocks)) return kept
  setKept(blocks)
  return blocks
}

const sameBlocks = (a: readonly FlowBlock[], b: readonly FlowBlock[]): boolean =>
  a.length === b.length && a.every((block, at) => block === b[at])
