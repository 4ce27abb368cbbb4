import { Check, RotateCcw, Square, TextCursorInput, X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import './textActions.css'
import { problemOf } from '../../api/problem.ts'
import { ProblemNotice } from '../errors/ProblemNotice.tsx'
import { LinkQuestion } from '../linkQuestion/LinkQuestion.tsx'
import { MarkdownContext } from '../markdown/context.ts'
import { Markdown } from '../markdown/Markdown.tsx'
import { showCost } from '../money/cost.ts'
import { useStudio } from '../studioContext.ts'
import { showToast } from '../toasts.ts'
import { Button, IconButton } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { StatusText } from '../ui/StatusText.tsx'
import { nameOf } from './builtIn.ts'
import { closeResult, insertIntoChat, replaceSelection, runAction, stopAction } from './run.ts'
import { boxBeside } from './selection.ts'
import { type ActionRun, useTextActions } from './state.ts'

const copy = (text: string): Promise<boolean> =>
  navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )

/** The result beside the selection. It covers nothing but its own place, and stays until the person closes it. */
export function FloatingResult() {
  const run = useTextActions((state) => state.run)
  if (!run) return null
  return createPortal(<Panel run={run} />, run.selection.layer ?? document.body)
}

function Panel({ run }: { run: ActionRun }) {
  const { t } = useTranslation('textActions')
  const studio = useStudio()
  const box = useRef<HTMLDivElement>(null)
  const [position, setPosition] = useState<{ left: number; top: number } | null>(null)
  const { selection } = run
  useLayoutEffect(() => {
    const place = (): void => {
      const { current } = box
      if (!current) return
      const { width } = current.getBoundingClientRect()
      // The height that the panel may grow to: its place does not change while the text arrives.
      const height = Math.min(largest, innerHeight - 16)
      setPosition(boxBeside(selection.place, { width, height }, { width: innerWidth, height: innerHeight }, 'below'))
    }
    place()
    addEventListener('resize', place)
    return () => removeEventListener('resize', place)
  }, [selection])
  useEffect(() => {
    const before = document.activeElement
    box.current?.focus({ preventScroll: true })
    return () => {
      // Only a focus that the closing panel had returns.
      const { activeElement } = document
      const isLoose = activeElement === null || activeElement === document.body
      if (isLoose && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
  const byKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    if (run.status === 'running') stopAction()
    else closeResult()
  }
  return (
    <div
      ref={box}
      role="dialog"
      aria-label={t('result', { name: nameOf(run.action) })}
      tabIndex={-1}
      data-text-result={run.status}
      className="text-result"
      // Transparent, not hidden, until its place is known: a hidden element can't take the focus.
      style={position ?? { left: 0, top: 0, opacity: 0 }}
      onKeyDown={byKey}
    >
      <ResultContent run={run} onRegenerate={() => void runAction(studio, run.action, selection)} onClose={closeResult}>
        {selection.field && (
          <Button size="small" icon={Check} onClick={() => replaceSelection(run)}>
            {t('replace')}
          </Button>
        )}
        <Button size="small" icon={TextCursorInput} onClick={() => insertIntoChat(run)}>
          {t('insert')}
        </Button>
      </ResultContent>
    </div>
  )
}

/** Largest height of the panel, px. The style sheet has it, too. */
const largest = 380

/**
 * The text of a result with its actions.
 * @param children buttons that need a text
 */
export function ResultContent(props: {
  run: ActionRun
  onRegenerate: () => void
  onClose: () => void
  children: ReactNode
}) {
  const { t } = useTranslation('textActions')
  const { run, onRegenerate, onClose, children } = props
  const { action, model, status, text, problem, isCut } = run
  const studio = useStudio()
  const isRunning = status === 'running'
  const [link, setLink] = useState<string | null>(null)
  const host = useMemo(() => ({ openLink: setLink, copy }), [])
  const openLink = (url: string): void => {
    studio.app
      .openExternal({ url })
      .catch((thrown: unknown) => showToast({ id: 'text-action', text: problemOf(thrown).message }))
  }
  return (
    <>
      <div className="text-result-head">
        <h2>{nameOf(action)}</h2>
        <span className="text-result-model">{model}</span>
        <IconButton icon={X} size="small" label={t('close')} shortcut="Esc" onClick={onClose} />
      </div>
      <section
        className="text-result-body"
        aria-label={t('result', { name: nameOf(action) })}
        aria-busy={isRunning}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
        tabIndex={0}
      >
        {isRunning && text === '' && <p className="text-result-note">{t('waiting')}</p>}
        <MarkdownContext value={host}>
          <Markdown text={text} growing={isRunning} />
        </MarkdownContext>
        {status === 'stopped' && <p className="text-result-note">{t('stopped')}</p>}
        {isCut && <p className="text-result-note">{t('cut')}</p>}
        {problem && <ProblemNotice problem={problem} noAction />}
      </section>
      {link !== null && <LinkQuestion address={link} onOpen={openLink} onEnd={() => setLink(null)} />}
      <StatusText>{status === 'done' ? t('done') : null}</StatusText>
      <div className="text-result-foot">
        {text !== '' && !isRunning && (
          <>
            <CopyButton size="small" name={t('copy')} label={t('copy')} text={text} />
            {children}
          </>
        )}
        {isRunning ? (
          <Button size="small" icon={Square} onClick={stopAction}>
            {t('stop')}
          </Button>
        ) : (
          <Button size="small" icon={RotateCcw} onClick={onRegenerate}>
            {t('regenerate')}
          </Button>
        )}
        {status === 'done' && <span className="text-result-cost num">{showCost(run)}</span>}
      </div>
    </>
  )
}
