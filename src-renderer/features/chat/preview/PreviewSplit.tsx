import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { MarkdownContext, type MarkdownHost } from '../../../shared/markdown/context.ts'
import { useChat } from '../../../stores/chat.ts'
import { leastPreviewWidth, usePreview } from '../../../stores/preview.ts'
import { PreviewPanel } from './PreviewPanel.tsx'
import { usePreviewTexts } from './texts.ts'

/** Minimum width of the chat beside a preview, px. Without this space, the preview covers the chat. */
const leastChatWidth = 360
const arrowStep = 24

/** The chat, with the preview beside it or over it while one is open. `host` provides links and copying to previewed Markdown. */
export function PreviewSplit({ host, children }: { host: MarkdownHost; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  const [space, setSpace] = useState(0)
  const conversationId = useChat((state) => state.open?.id ?? null)
  const target = usePreview((state) => state.target)
  const width = usePreview((state) => state.width)
  const shown = target !== null && target.conversationId === conversationId ? target : null
  useEffect(() => {
    if (!box.current) return
    const observer = new ResizeObserver(([entry]) => setSpace(entry?.contentRect.width ?? 0))
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  const largest = space - leastChatWidth
  const covers = largest < leastPreviewWidth
  const used = Math.min(width, largest)
  // A previewed text opens no further preview.
  const inside = useMemo((): MarkdownHost => ({ openLink: host.openLink, copy: host.copy }), [host])
  return (
    <div className="chat-split" ref={box}>
      <div className="chat-split-chat" inert={shown !== null && covers && space > 0}>
        {children}
      </div>
      {shown && space > 0 && (
        <>
          {!covers && <Divider width={used} largest={largest} />}
          <div className="chat-split-preview" data-covers={covers} style={covers ? undefined : { width: used }}>
            <MarkdownContext value={inside}>
              <PreviewPanel target={shown} />
            </MarkdownContext>
          </div>
        </>
      )}
    </div>
  )
}

/** Changes the width by dragging, or by the arrow keys. */
function Divider({ width, largest }: { width: number; largest: number }) {
  const t = usePreviewTexts()
  const [drag, setDrag] = useState<{ x: number; width: number } | null>(null)
  const setWidth = (next: number): void =>
    usePreview.setState({ width: Math.min(largest, Math.max(leastPreviewWidth, next)) })
  const rightToLeft = (): boolean => document.documentElement.dir === 'rtl'
  const move = (event: PointerEvent): void => {
    if (drag) setWidth(drag.width + (rightToLeft() ? event.clientX - drag.x : drag.x - event.clientX))
  }
  const press = (event: KeyboardEvent): void => {
    const wider = rightToLeft() ? 'ArrowRight' : 'ArrowLeft'
    if (event.key === wider) setWidth(width + arrowStep)
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') setWidth(width - arrowStep)
    else if (event.key === 'Home') setWidth(largest)
    else if (event.key === 'End') setWidth(leastPreviewWidth)
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that can be moved is no <hr>
    <div
      className="chat-divider"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t('resize')}
      aria-valuenow={Math.round(width)}
      aria-valuemin={leastPreviewWidth}
      aria-valuemax={Math.round(largest)}
      data-dragging={drag !== null}
      onKeyDown={press}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        setDrag({ x: event.clientX, width })
      }}
      onPointerMove={move}
      onPointerUp={() => setDrag(null)}
      onPointerCancel={() => setDrag(null)}
    />
  )
}
