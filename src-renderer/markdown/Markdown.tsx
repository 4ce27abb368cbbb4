import { memo, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { type Block, BlockSplitter, type FlowBlock } from './blocks.ts'
import { CodeBlock } from './CodeBlock.tsx'
import { Pieces } from './code/Pieces.tsx'
import { Nodes } from './nodes.tsx'
import { parseBlock } from './parse.ts'
import './scale.css'
import './markdown.css'

/** Sections drawn at once when a long text appears; the earlier ones follow one after another. */
const firstSections = 2

/**
 * A markdown text that may grow. Cost of a change: the newest section's unfinished block is parsed again, nothing else.
 * `growing` draws the caret.
 */
export function Markdown({ text, growing = false }: { text: string; growing?: boolean }) {
  const [splitter] = useState(() => new BlockSplitter())
  const sections = splitter.update(text)
  const from = useFirstSection(sections.length)
  return (
    <div className="md" data-growing={growing}>
      {sections.slice(from).map((blocks, at) => (
        <Section key={sectionKey(from + at)} blocks={blocks} settled={from + at < sections.length - 1} />
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
  // A text that was replaced by a shorter one starts over.
  return Math.min(from, Math.max(0, count - 1))
}

const Section = memo(function Section({ blocks, settled }: { blocks: readonly Block[]; settled: boolean }) {
  return (
    <div className={settled ? 'md-section md-settled' : 'md-section'}>
      {blocks.map((block, at) => (
        <BlockView key={blockKey(block, at)} block={block} />
      ))}
    </div>
  )
})

const blockKey = (block: Block, at: number): string => `${block.kind}${at}`

const BlockView = memo(function BlockView({ block }: { block: Block }) {
  if (block.kind === 'flow') return <FlowView block={block} />
  if (block.kind === 'code') return <CodeBlock language={block.language} pieces={block.pieces} open={block.open} />
  return (
    <div className="md-plain" dir="auto">
      <Pieces pieces={block.pieces} />
    </div>
  )
})

const FlowView = memo(function FlowView({ block }: { block: FlowBlock }) {
  // A block near the size limit may take longer than a frame's share to parse: it may lag behind, never hold up typing.
  const shown = useDeferredValue<FlowBlock>(block)
  // The draft in which the block lags behind shows what was parsed before: without this it would be parsed twice a frame.
  const nodes = useMemo(() => <Nodes nodes={parseBlock(shown)} />, [shown])
  return block.continues ? <div className="md-continues">{nodes}</div> : nodes
})
