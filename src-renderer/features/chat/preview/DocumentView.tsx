import { Play, RotateCw } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useDesktop } from '../../../shared/desktop.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { connectFrame, type FrameState, maxDocumentChars, previewPage } from './frame.ts'
import { usePreviewTexts } from './texts.ts'
import { useThrottled } from './useThrottled.ts'

interface DocumentProps {
  kind: 'html' | 'svg'
  text: string
  title: string
  /** Whether the block may still grow. */
  open: boolean
}

/** Interval of updates while the block grows, ms. */
const updateMs = 400

/** A page or an image in its own frame, without scripts. @param run opens the page where its scripts run. Offered for complete pages */
export function DocumentView({ kind, text, title, open, run }: DocumentProps & { run: () => void }) {
  const t = usePreviewTexts()
  const isDesktop = useDesktop(({ client }) => client !== null)
  const [attempt, setAttempt] = useState(0)
  const [state, setState] = useState<FrameState>('loading')
  const hasScripts = kind === 'html' && !open && mayRun(text)
  const again = (): void => {
    setState('loading')
    setAttempt(attempt + 1)
  }
  if (text.length > maxDocumentChars)
    return <p className="chat-preview-note">{t('tooLong', { most: maxDocumentChars })}</p>
  if (text.trim() === '') return <p className="chat-preview-note">{t('empty')}</p>
  if (state === 'stopped' || state === 'no_frame')
    return (
      <div className="chat-preview-note" role="alert">
        <p>{t(state === 'stopped' ? 'stopped' : 'noFrame')}</p>
        <Button icon={RotateCw} onClick={again}>
          {t('retry')}
        </Button>
      </div>
    )
  return (
    <div className="chat-preview-document" aria-busy={state === 'loading'}>
      {hasScripts && (
        <div className="chat-preview-bar">
          <span>{t(isDesktop ? 'scriptsOffDesktop' : 'scriptsOff')}</span>
          <Button size="small" icon={Play} onClick={run}>
            {t('runScripts')}
          </Button>
        </div>
      )}
      {state === 'failed' && !open && (
        <p className="chat-preview-note" role="status">
          {t('svgFailed')}
        </p>
      )}
      <DocumentFrame key={attempt} {...{ kind, text, open }} title={title || t('region')} notify={setState} />
    </div>
  )
}

function DocumentFrame(props: DocumentProps & { notify: (state: FrameState) => void }) {
  const { kind, text, title, open, notify } = props
  const frame = useRef<HTMLIFrameElement>(null)
  const connection = useRef<ReturnType<typeof connectFrame>>(null)
  const shown = useThrottled(text, open ? updateMs : 0)
  // In the same task as the frame is added: a frame that loads quickly can't report before somebody listens.
  useLayoutEffect(() => {
    if (!frame.current) return
    const connected = connectFrame(frame.current, notify)
    connection.current = connected
    return connected.end
  }, [notify])
  useEffect(() => connection.current?.show({ kind, text: shown }), [kind, shown])
  return (
    <iframe
      ref={frame}
      className="chat-preview-frame"
      title={title}
      sandbox="allow-scripts"
      allow=""
      referrerPolicy="no-referrer"
      src={previewPage}
    />
  )
}

/** Whether a page contains anything that a script engine would run. */
const mayRun = (html: string): boolean => /<script[\s>]|\son[a-z]{3,40}\s*=|javascript:/i.test(html)
