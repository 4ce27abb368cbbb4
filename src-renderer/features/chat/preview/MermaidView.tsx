import { useEffect, useRef, useState } from 'react'
import { type DiagramState, drawInFrame, framePage, longestDiagram } from '../../../shared/markdown/diagram/frame.ts'
import { useMarkdownTexts } from '../../../shared/markdown/messages.ts'
import { usePreviewTexts } from './texts.ts'
import { useThrottled } from './useThrottled.ts'

/** Interval of updates while the block grows, ms. */
const updateMs = 1_000

/** A diagram that grows with its block, line by line. A line that can't be drawn yet leaves the picture as it was. */
export function MermaidView({ text, open }: { text: string; open: boolean }) {
  const t = usePreviewTexts()
  const lines = open ? text.slice(0, text.lastIndexOf('\n') + 1) : text
  const shown = useThrottled(lines, open ? updateMs : 0)
  if (shown.trim() === '') return <p className="chat-preview-note">{t('empty')}</p>
  if (shown.length > longestDiagram)
    return <p className="chat-preview-note">{t('tooLong', { most: longestDiagram })}</p>
  return <DiagramFrame source={shown} open={open} />
}

function DiagramFrame({ source, open }: { source: string; open: boolean }) {
  const t = useMarkdownTexts()
  const frame = useRef<HTMLIFrameElement>(null)
  const drawing = useRef<ReturnType<typeof drawInFrame>>(null)
  const [state, setState] = useState<DiagramState>({ is: 'drawing' })
  const first = useRef(source)
  useEffect(() => {
    if (!frame.current) return
    const begun = drawInFrame(frame.current, first.current, setState)
    drawing.current = begun
    return begun.end
  }, [])
  useEffect(() => drawing.current?.update(source), [source])
  const failed = state.is === 'failed' && !open ? state : null
  // A frame that is late may hang. Removing it ends what it does.
  const late = state.is === 'failed' && state.why !== 'refused'
  return (
    <div className="chat-preview-document" aria-busy={state.is === 'drawing'}>
      {state.is === 'drawing' && <p className="chat-preview-note">{t('drawing')}</p>}
      {failed && (
        <div className="chat-preview-note" role="status">
          <p>{t('diagramFailed')}</p>
          <pre>{failed.why === 'refused' ? failed.reason : t('diagramLate', { seconds: failed.seconds })}</pre>
        </div>
      )}
      {!late && (
        <iframe
          ref={frame}
          className="chat-preview-frame chat-preview-diagram"
          hidden={failed !== null}
          title={t('diagram')}
          sandbox="allow-scripts"
          referrerPolicy="no-referrer"
          src={framePage}
        />
      )}
    </div>
  )
}
