import { Check, Copy, WrapText } from 'lucide-react'
import { memo, useState } from 'react'
import { useMarkdownHost } from './context.ts'

/** A fenced block. `pieces` joined are its text; only the last piece changes while it grows. */
export const CodeBlock = memo(function CodeBlock({
  language,
  pieces,
}: {
  language: string
  pieces: readonly string[]
}) {
  const { words, copy } = useMarkdownHost()
  const [wrap, setWrap] = useState(false)
  const [copied, setCopied] = useState(false)
  const label = language.split(/[\s{,]/, 1)[0] || words.code
  const copyAll = async (): Promise<void> => {
    if (!(await copy(pieces.join('').replace(/\n$/, '')))) return
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <figure className="md-fence" aria-label={label} data-wrap={wrap}>
      <figcaption>
        <span className="md-lang">{label}</span>
        <button
          type="button"
          className="md-tool"
          aria-label={words.wrapCode}
          title={words.wrapCode}
          aria-pressed={wrap}
          onClick={() => setWrap(!wrap)}
        >
          <WrapText aria-hidden />
        </button>
        <button
          type="button"
          className="md-tool"
          aria-label={copied ? words.copied : words.copyCode}
          title={copied ? words.copied : words.copyCode}
          onClick={() => void copyAll()}
        >
          {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        </button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls sideways must be reachable by keyboard (WCAG 2.1.1) */}
      <pre tabIndex={0}>
        <code>
          <Pieces pieces={pieces} />
        </code>
      </pre>
    </figure>
  )
})

/** Text without marks, in bounded pieces that are laid out each on its own and skipped while out of sight. */
export function Pieces({ pieces }: { pieces: readonly string[] }) {
  return pieces.map((text, at) => <Piece key={pieceKey(at)} text={text} only={pieces.length === 1} />)
}

const pieceKey = (at: number): string => `p${at}`

const Piece = memo(function Piece({ text, only }: { text: string; only: boolean }) {
  return <span className={only ? 'md-piece' : 'md-piece md-skippable'}>{text.replace(/\n$/, '') || '\n'}</span>
})
