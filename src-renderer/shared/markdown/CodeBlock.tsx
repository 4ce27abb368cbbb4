import { WrapText } from 'lucide-react'
import { memo, type ReactNode, useEffect, useMemo, useState } from 'react'
import { CopyTool } from './CopyTool.tsx'
import { BlockPainter } from './code/BlockPainter.ts'
import { labelOf, languageOf } from './code/languages.ts'
import { Pieces } from './code/Pieces.tsx'
import { Diagram } from './diagram/Diagram.tsx'
import { spelled } from './hiddenCharacters.tsx'
import { useMarkdownTexts } from './messages.ts'
import { lineCount, PreviewOffer, PreviewTool } from './PreviewTool.tsx'
import './code/code.css'

export { Pieces } from './code/Pieces.tsx'

/** Blocks with at least this many lines show their line count. */
const longLines = 30
/** Blocks with at least this many lines offer their preview at their end. */
const offerLines = 15

/** A block with a longer line wraps from the start, characters. Layout of a view full of rows of thousands of characters takes too long. */
const longLine = 1_000
/** Looks at the beginning only, so that the pieces of a growing block are not read again and again. */
const hasLongLine = (piece: string): boolean => piece.length > longLine && !piece.slice(0, longLine).includes('\n')

interface Code {
  language: string
  pieces: readonly string[]
  /** Whether the block may still grow. */
  open?: boolean
}

/** A fenced block. Its text is `pieces` joined. Only the last piece changes while the block grows. */
export const CodeBlock = memo(function CodeBlock({ language, pieces, open = false }: Code) {
  const known = languageOf(language)
  if (known === 'mermaid')
    return (
      <Diagram
        source={pieces.join('')}
        open={open}
        preview={<PreviewTool language={language} pieces={pieces} open={open} />}
        code={(tools) => code(tools)}
      />
    )
  return code(null)

  function code(tools: ReactNode): ReactNode {
    return <Fence key={known} known={known} language={language} pieces={pieces} open={open} tools={tools} />
  }
})

function Fence({ known, language, pieces, open = false, tools }: Code & { known: string | null; tools: ReactNode }) {
  const t = useMarkdownTexts()
  const [chosen, setChosen] = useState<boolean | null>(null)
  const wrap = chosen ?? pieces.some(hasLongLine)
  const painter = usePainter(known, pieces, open)
  const label = spelled(labelOf(language)).slice(0, 40) || t('code')
  const lines = open ? 0 : lineCount(pieces)
  return (
    <figure className="md-fence" aria-label={label} data-wrap={wrap}>
      <figcaption>
        <span className="md-lang">{label}</span>
        {lines >= longLines && <span className="md-lines">{t('lines', { count: lines })}</span>}
        {tools}
        <PreviewTool language={language} pieces={pieces} open={open} />
        <button
          type="button"
          className="md-tool"
          aria-label={t('wrapCode')}
          title={t('wrapCode')}
          aria-pressed={wrap}
          onClick={() => setChosen(!wrap)}
        >
          <WrapText aria-hidden />
        </button>
        <CopyTool label={t('copyCode')} text={() => pieces.join('').replace(/\n$/, '')} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls sideways must be reachable by keyboard (WCAG 2.1.1) */}
      <pre tabIndex={0} dir="ltr">
        <code>
          <Pieces pieces={pieces} painter={painter} wraps={wrap} />
        </code>
      </pre>
      {lines >= offerLines && <PreviewOffer language={language} pieces={pieces} open={open} />}
    </figure>
  )
}

/** Lines of one piece of a `HighlightedText`. */
const pieceLines = 80

/** A text of any length in the colours of its language, without a frame. Its lines wrap. Pieces out of view are neither coloured nor laid out. */
export function HighlightedText({ text, language }: { text: string; language: string }) {
  const known = languageOf(language)
  const pieces = useMemo(() => {
    const lines = text.split('\n')
    const count = Math.ceil(lines.length / pieceLines)
    return Array.from({ length: count }, (_, at) => {
      const piece = lines.slice(at * pieceLines, (at + 1) * pieceLines).join('\n')
      return at < count - 1 ? `${piece}\n` : piece
    })
  }, [text])
  const painter = usePainter(known, pieces, false)
  return <Pieces pieces={pieces} painter={painter} wraps />
}

function usePainter(known: string | null, pieces: readonly string[], open: boolean): BlockPainter | null {
  const [painter] = useState(() => (known === null ? null : new BlockPainter(known)))
  useEffect(() => painter?.update(pieces, !open), [painter, pieces, open])
  useEffect(() => {
    painter?.reopen()
    return () => painter?.close()
  }, [painter])
  return painter
}
