import { memo, useDeferredValue, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'react'
import { useFind } from '../../stores/chatFind.ts'
import { anchorView } from './anchorView.ts'
import { type Block, BlockSplitter, ended, type FlowBlock, sizeOf, type TextBlock } from './blocks.ts'
import { CodeBlock } from './CodeBlock.tsx'
import { followNear, Pieces } from './code/Pieces.tsx'
import { carriesOn } from './joinedBlocks.ts'
import { useMarkdownTexts } from './messages.ts'
import { Nodes, PlainText } from './nodes.tsx'
import { parseBlock } from './parse.ts'
import { joinTables } from './tables.ts'
import { nameWhileSkipped, shows, writtenText } from './undrawn.ts'
import './markdown.css'

/** Characters of the end of a long text that are drawn at once when it appears. */
const firstChars = 12_000
/** Longest splitting or parsing within one task, ms, apart from the last step of each. */
const sliceMs = 8
/** Characters that are split into blocks within one step. Takes about 1 ms. */
const stepChars = 20_000
/** A text with more sections is drawn only near the view: elements out of sight cost memory, and each frame looks at them. */
const maxWhole = 40
/** Sections in the page, at least 5 MB of ordinary text. Those before appear when they are asked for. */
const maxSections = 1_500

interface MarkdownProps {
  text: string
  growing?: boolean
  isCut?: boolean
}

/**
 * A markdown text that may grow. A change parses only the unfinished block of the newest section. A long text is split, parsed and drawn in
 * steps, so that the page never waits for it.
 * @param growing draws the caret. The last code block of a text that no longer grows is complete, also without its last line break.
 * @param isCut whether the text has ended early. A formula that it opened is then text without its sign.
 */
export function Markdown({ text, growing = false, isCut = false }: MarkdownProps) {
  const t = useMarkdownTexts()
  const [splitter] = useState(() => new BlockSplitter())
  const whole = useMemo(() => (growing ? text : ended(text)), [text, growing])
  const sections = split(splitter, whole, !growing, isCut)
  const { isBehind } = splitter
  const [steps, goOn] = useReducer((count: number) => count + 1, 0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step continues with the next one
  useEffect(() => {
    if (!isBehind) return
    const timer = setTimeout(goOn)
    return () => clearTimeout(timer)
  }, [isBehind, steps, text])
  const from = useFirstDrawn(sections, isBehind)
  const [limit, setLimit] = useState(maxSections)
  if (from === null) return <div className="md md-faint">{t('preparing')}</div>
  // In whole steps, so that a growing text does not take away a section at a time.
  const hidden = Math.max(0, Math.ceil((sections.length - limit) / 100) * 100)
  return (
    <div className="md" data-growing={growing}>
      {hidden > 0 && (
        <button
          type="button"
          className="md-earlier"
          ref={(button) => {
            if (button) shows(button, sections.slice(0, hidden))
          }}
          onClick={() => setLimit(limit + maxSections)}
        >
          {t('showEarlier')}
        </button>
      )}
      {sections.slice(hidden).map((blocks, index) => (
        <Section
          key={sectionKey(hidden + index)}
          blocks={blocks}
          settled={hidden + index < sections.length - 1}
          growing={growing}
          isFirst={hidden + index >= from}
          isLong={sections.length > maxWhole}
        />
      ))}
    </div>
  )
}

const sectionKey = (at: number): string => `s${at}`

type Sections = readonly (readonly Block[])[]

/** Splits for some ms. */
function split(splitter: BlockSplitter, text: string, isEnded: boolean, isCut: boolean): Sections {
  const until = performance.now() + sliceMs
  let sections = splitter.update(text, stepChars, isEnded, isCut)
  while (splitter.isBehind && performance.now() < until) sections = splitter.update(text, stepChars, isEnded, isCut)
  return sections
}

/**
 * Index of the first section that is drawn at once: those at the end when a text appears or grows by a lot, and each new one of a growing
 * text. Null while the text is split for the first time, because nobody knows its end yet.
 */
function useFirstDrawn(sections: Sections, isBehind: boolean): number | null {
  const count = sections.length
  const [kept, setKept] = useState<{ count: number; from: number } | null>(null)
  if (kept === null && isBehind) return null
  if (kept?.count === count) return kept.from
  let from = kept?.from ?? 0
  if (count !== (kept?.count ?? -1) + 1) {
    from = count - 1
    let chars = charsOf(sections[from])
    while (from > 0 && chars + charsOf(sections[from - 1]) <= firstChars) chars += charsOf(sections[--from])
  }
  setKept({ count, from })
  return from
}

const charsOf = (section: readonly Block[] = []): number => section.reduce((sum, block) => sum + sizeOf(block), 0)

/** Characters of a line of prose in a window of usual width, about. */
const usualLine = 90

/** About how many lines high a section is. */
function linesOf(section: readonly Block[]): number {
  let lines = 0
  for (const block of section) {
    if (block.kind !== 'flow') for (const piece of block.pieces) lines += newlinesIn(piece)
    else if (block.source.includes('|')) lines += newlinesIn(block.source) * tableRow
    else lines += Math.max(newlinesIn(block.source.trimEnd()) + 1, block.source.length / usualLine) + blockGap
  }
  return Math.max(1, Math.round(lines))
}

/** Height of a row of a table, and distance between blocks, in lines. */
const tableRow = 1.4
const blockGap = 0.4
function newlinesIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** Parses blocks for some ms, so that drawing them parses nothing. Whether all are parsed. */
function isParsed(section: readonly Block[]): boolean {
  const until = performance.now() + sliceMs
  for (const block of section) {
    if (performance.now() > until) return false
    if (block.kind === 'flow' && !block.open) parseBlock(block)
  }
  return true
}

/** Steps of drawing, one per frame, the newest first. A step that returns false is repeated. */
const steps: (() => boolean)[] = []

let frame = 0

function eachFrame(): void {
  const step = steps.at(-1)
  if (step?.()) withoutStep(step)
  frame = steps.length > 0 ? requestAnimationFrame(eachFrame) : 0
}

function withoutStep(step: () => boolean): void {
  const at = steps.indexOf(step)
  if (at >= 0) steps.splice(at, 1)
}

/**
 * @param isLast draws it after all other steps, so that steps added in the order of the text are done in this order
 * @returns the function that takes the step back
 */
function drawLater(step: () => boolean, isLast = false): () => void {
  if (isLast) steps.unshift(step)
  else steps.push(step)
  if (frame === 0) frame = requestAnimationFrame(eachFrame)
  return () => withoutStep(step)
}

interface SectionProps {
  blocks: readonly Block[]
  settled: boolean
  growing: boolean
  isFirst: boolean
  isLong: boolean
}

const Section = memo(function Section({ blocks, settled, growing, isFirst, isLong }: SectionProps) {
  const box = useRef<HTMLDivElement>(null)
  const [isDrawn, setDrawn] = useState(isFirst)
  // The search marks text in the page.
  const isSearched = useFind(({ shown }) => shown)
  useLayoutEffect(() => {
    // So that a section hardly changes its height when it is drawn, which would move the text in view.
    if (!box.current) return
    shows(box.current, [blocks])
    const { style } = box.current
    const lines = !isDrawn || settled ? `${linesOf(blocks)}lh` : ''
    style.blockSize = isDrawn ? '' : lines
    style.containIntrinsicBlockSize = lines && `auto ${lines}`
  }, [isDrawn, settled, blocks])
  useEffect(() => {
    if (isLong && box.current) return anchorView(box.current)
  }, [isLong])
  useEffect(() => {
    if (isDrawn || !box.current) return
    let cancel: (() => void) | null = null
    const draw = (isLast: boolean): void => {
      cancel?.()
      cancel = drawLater(() => {
        const isReady = isParsed(blocks)
        if (isReady) setDrawn(true)
        return isReady
      }, isLast)
    }
    // From the beginning, because a match is found by its number.
    if (isSearched) draw(true)
    else if (!isLong) draw(false)
    const unfollow = followNear(box.current, (near) => near && draw(false))
    return () => {
      unfollow()
      cancel?.()
    }
  }, [isDrawn, isLong, isSearched, blocks])
  useEffect(() => {
    if (isDrawn && settled && box.current) return nameWhileSkipped(box.current, blocks)
  }, [isDrawn, settled, blocks])
  // Its text is for a screen reader. A label, because the browser has no accessible text in a box that it has not laid out.
  if (!isDrawn) return <div ref={box} className="md-section md-undrawn" role="img" aria-label={writtenText(blocks)} />
  return (
    <div ref={box} className={settled ? 'md-section md-settled' : 'md-section'}>
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
      <Pieces pieces={block.pieces} wraps />
    </PlainText>
  )
})

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
