import { memo, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { BoundedText, revealed } from '../hiddenCharacters.tsx'
import type { BlockPainter } from './BlockPainter.ts'
import type { LineMarks } from './paint.ts'

/**
 * Text in pieces of limited size. Each is laid out separately and skipped while out of sight. With a painter, pieces near the view are
 * coloured.
 */
export function Pieces({
  pieces,
  painter = null,
  wraps = false,
}: {
  pieces: readonly string[]
  painter?: BlockPainter | null
  /** Whether long lines wrap. */
  wraps?: boolean
}) {
  const only = pieces.length === 1
  return pieces.map((text, at) =>
    painter ? (
      <PaintedPiece key={pieceKey(at)} text={text} only={only} wraps={wraps} painter={painter} at={at} />
    ) : (
      <PlainPiece key={pieceKey(at)} text={text} only={only} wraps={wraps} />
    ),
  )
}

/** Characters of a line that wraps, about. */
const usualLine = 100

const pieceKey = (at: number): string => `p${at}`
const classOf = (only: boolean): string => (only ? 'md-piece' : 'md-piece md-skippable')

/**
 * Sets the height of a piece that was not laid out yet, by its lines: exact unless lines wrap. With one height for all pieces, the first
 * layout of several pieces would shrink a long message by more than the view, and the list would scroll to correct that.
 */
function useHeight(box: RefObject<HTMLElement | null>, text: string, only: boolean, wraps = false): void {
  useLayoutEffect(() => {
    if (!box.current || only) return
    const written = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
    // With one line for 4,000 characters, a hundred pieces would be near the view, and laid out at once.
    const lines = wraps ? written + Math.floor(text.length / usualLine) : written
    box.current.style.containIntrinsicBlockSize = `auto ${Math.max(1, lines)}lh`
  }, [box, text, only, wraps])
}

const PlainPiece = memo(function PlainPiece({ text, only, wraps }: { text: string; only: boolean; wraps: boolean }) {
  const box = useRef<HTMLSpanElement>(null)
  useHeight(box, text, only, wraps)
  return (
    <span ref={box} className={classOf(only)}>
      <BoundedText text={shownText(text)} />
    </span>
  )
})

interface Painted {
  text: string
  only: boolean
  wraps: boolean
  painter: BlockPainter
  at: number
}

const PaintedPiece = memo(function PaintedPiece({ text, only, wraps, painter, at }: Painted) {
  const box = useRef<HTMLSpanElement>(null)
  useHeight(box, text, only, wraps)
  const [near, setNear] = useState(false)
  const [marks, setMarks] = useState(() => painter.marks(at))
  useEffect(() => painter.follow(at, () => setMarks(painter.marks(at))), [painter, at])
  useEffect(() => {
    if (!box.current) return
    return followNear(box.current, (now) => {
      setNear(now)
      painter.near(at, now)
    })
  }, [painter, at])
  // Cached marks appear with the first paint. New ones appear when the piece is near the view.
  const show = marks.length > 0 && (near || only)
  return (
    <span ref={box} className={classOf(only)}>
      {show ? painted(text, marks) : plain(text)}
    </span>
  )
})

const plain = (text: string): ReactNode => revealed(shownText(text))
const shownText = (text: string): string => text.replace(/\n$/, '') || '\n'

/** Draws lines with marks separately, and the rest as one text. A line renders again only when the line changes. */
function painted(text: string, marks: readonly LineMarks[]): ReactNode {
  const lines: ReactNode[] = []
  let at = 0
  for (let n = 0; n < marks.length && at < text.length; n++) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline + 1
    // The newline at the end of a piece would show an empty line.
    const line = text.slice(at, end === text.length && newline >= 0 ? end - 1 : end)
    lines.push(<Line key={lineKey(n)} text={line} marks={marks[n]} />)
    at = end
  }
  if (at < text.length) lines.push(revealed(text.slice(at).replace(/\n$/, '')))
  return lines
}

const lineKey = (at: number): string => `l${at}`

const Line = memo(function Line({ text, marks }: { text: string; marks: LineMarks | undefined }) {
  if (!marks || marks.length === 0) return revealed(text)
  const parts: ReactNode[] = []
  let at = 0
  for (let pair = 0; pair + 1 < marks.length && at < text.length; pair += 2) {
    const end = Math.min(marks[pair] ?? 0, text.length)
    const kind = marks[pair + 1] ?? 0
    const part = revealed(text.slice(at, end))
    parts.push(
      kind === 0 ? (
        part
      ) : (
        <span key={pair} className={`md-k${kind}`}>
          {part}
        </span>
      ),
    )
    at = end
  }
  if (at < text.length) parts.push(revealed(text.slice(at)))
  return parts
})

/** Distance from the scrolling box that counts as near the view. */
const margin = '900px'
const followers = new WeakMap<Element, (near: boolean) => void>()
let watcher: IntersectionObserver | null = null

/** Calls `notify` whenever the element comes near the view or leaves it. Returns the function that stops it. */
export function followNear(element: Element, notify: (near: boolean) => void): () => void {
  // `scrollMargin` (Chrome 120, Safari 18) extends the box of the scrolling element, which `rootMargin` does not.
  const options: IntersectionObserverInit & { scrollMargin: string } = { rootMargin: margin, scrollMargin: margin }
  watcher ??= new IntersectionObserver((entries) => {
    for (const entry of entries) followers.get(entry.target)?.(entry.isIntersecting)
  }, options)
  followers.set(element, notify)
  watcher.observe(element)
  return () => {
    followers.delete(element)
    watcher?.unobserve(element)
  }
}
