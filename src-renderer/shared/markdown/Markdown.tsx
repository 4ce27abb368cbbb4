import { memo, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { type Block, BlockSplitter, type FlowBlock, type TextBlock } from './blocks.ts'
import { CodeBlock } from './CodeBlock.tsx'
import { Pieces } from './code/Pieces.tsx'
import { Nodes } from './nodes.tsx'
import { parseBlock } from './parse.ts'
import { isTableAlone, joinTables } from './tables.ts'
import './markdown.css'

/** Sections drawn at once when a long text appears. Earlier ones follow one by one. */
const firstSections = 2

/**
 * A markdown text that may grow. A change parses only the unfinished block of the newest section.
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
  const [splitter] = useState(() => new BlockSplitter())
  const sections = splitter.update(text)
  const first = useFirstSection(sections.length)
  const from = whole ? 0 : first
  return (
    <div className="md" data-growing={growing}>
      {sections.slice(from).map((blocks, at) => (
        <Section
          key={sectionKey(from + at)}
          blocks={blocks}
          settled={from + at < sections.length - 1}
          growing={growing}
        />
      ))}
    </div>
  )
}

const sectionKey = (at: number): string => `s${at}`

/** Index of the first section to draw: near the end at first, then one section earlier after each painted frame. */
function useFirstSection(count: number): number {
  const [from, setFrom] = useState(Math.max(0, count - firstSections))
  useEffect(() => {
    if (from === 0) return
    const frame = requestAnimationFrame(() => setFrom(from - 1))
    return () => cancelAnimationFrame(frame)
  }, [from])
  // Starts again when a shorter text replaces the text.
  return Math.min(from, Math.max(0, count - 1))
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
    <div className="md-plain" dir="auto">
      <Pieces pieces={block.pieces} />
    </div>
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
    const nodes = useMemo(() => <Nodes nodes={joinTables(shown.map(parseBlock))} />, [shown])
    return shown[0]?.continues ? <div className="md-continues">{nodes}</div> : nodes
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
