import { Code, Maximize2, Workflow, ZoomIn, ZoomOut } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { CopyTool } from '../CopyTool.tsx'
import { useMarkdownTexts } from '../messages.ts'
import { type DiagramState, drawInFrame, framePage, longestDiagram } from './frame.ts'
import './diagram.css'

/** Recently drawn diagrams, so that a message that scrolls back into view shows its diagram again. */
const asked = new Set<string>()
const maxAsked = 50

function remember(source: string, shown: boolean): void {
  asked.delete(source)
  if (shown) asked.add(source)
  for (const oldest of asked) {
    if (asked.size <= maxAsked) break
    asked.delete(oldest)
  }
}

/**
 * A diagram's code. A click draws the diagram, and only then is Mermaid loaded. `code` draws the fence with additional buttons. `preview` is
 * a button of the drawn diagram.
 */
export function Diagram(props: {
  source: string
  open: boolean
  preview: ReactNode
  code: (tools: ReactNode) => ReactNode
}) {
  const t = useMarkdownTexts()
  const { source, open, preview, code } = props
  const [shown, setShown] = useState(() => asked.has(source))
  const show = (now: boolean): void => {
    remember(source, now)
    setShown(now)
  }
  if (shown && !open) return <Drawn key={source} source={source} preview={preview} back={() => show(false)} />
  return code(
    open ? null : (
      <button type="button" className="md-tool md-worded" title={t('drawTitle')} onClick={() => show(true)}>
        <Workflow aria-hidden /> {t('draw')}
      </button>
    ),
  )
}

const zoomStep = 1.25
const [leastZoom, maxZoom] = [0.2, 5]

function Drawn({ source, preview, back }: { source: string; preview: ReactNode; back: () => void }) {
  const t = useMarkdownTexts()
  const frame = useRef<HTMLIFrameElement>(null)
  const [state, setState] = useState<DiagramState>({ is: 'drawing' })
  /** Null fits the diagram to the frame's width. */
  const [zoom, setZoom] = useState<number | null>(null)
  const zoomTo = useRef<(scale: number | null) => void>(() => undefined)
  useEffect(() => {
    if (!frame.current) return
    const drawing = drawInFrame(frame.current, source, setState)
    zoomTo.current = drawing.zoom
    return drawing.end
  }, [source])
  const by = (factor: number): void => {
    const { scale = 1 } = state.is === 'drawn' ? state : {}
    const next = Math.min(maxZoom, Math.max(leastZoom, (zoom ?? scale) * factor))
    setZoom(next)
    zoomTo.current(next)
  }
  const fit = (): void => {
    setZoom(null)
    zoomTo.current(null)
  }
  const tools = [
    { word: 'zoomOut', icon: <ZoomOut aria-hidden />, act: () => by(1 / zoomStep) },
    { word: 'zoomIn', icon: <ZoomIn aria-hidden />, act: () => by(zoomStep) },
    { word: 'fit', icon: <Maximize2 aria-hidden />, act: fit },
  ] as const
  return (
    <figure className="md-fence" aria-label={t('diagram')}>
      <figcaption>
        <span className="md-lang">mermaid</span>
        {state.is === 'drawn' &&
          tools.map(({ word, icon, act }) => (
            <button key={word} type="button" className="md-tool" aria-label={t(word)} title={t(word)} onClick={act}>
              {icon}
            </button>
          ))}
        {preview}
        <button type="button" className="md-tool md-worded" title={t('showCodeTitle')} onClick={back}>
          <Code aria-hidden /> {t('showCode')}
        </button>
        <CopyTool label={t('copyCode')} text={() => source.replace(/\n$/, '')} />
      </figcaption>
      {state.is === 'failed' ? (
        <Failure state={state} />
      ) : (
        <div className="md-diagram" aria-busy={state.is === 'drawing'}>
          {state.is === 'drawing' && <p className="md-diagram-note">{t('drawing')}</p>}
          <iframe
            ref={frame}
            className="md-diagram-frame"
            title={t('diagram')}
            sandbox="allow-scripts"
            referrerPolicy="no-referrer"
            src={framePage}
            // Known after drawing. A style property, because the page's policy allows no style attribute in markup.
            style={{ height: state.is === 'drawn' ? state.height : 0 }}
          />
        </div>
      )}
    </figure>
  )
}

function Failure({ state }: { state: Extract<DiagramState, { is: 'failed' }> }) {
  const t = useMarkdownTexts()
  const why = (): string => {
    if (state.why === 'refused') return state.reason
    if (state.why === 'long') return t('diagramLong', { most: longestDiagram })
    return state.why === 'late' ? t('diagramLate', { seconds: state.seconds }) : t('diagramFrame')
  }
  return (
    <div className="md-diagram-failed" role="status">
      <p>{t('diagramFailed')}</p>
      <pre>{why()}</pre>
    </div>
  )
}
