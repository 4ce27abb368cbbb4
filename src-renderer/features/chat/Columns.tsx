import { Check, ChevronLeft, ChevronRight, Square } from 'lucide-react'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { Message } from '../../../src-preload/contract/chat.ts'
import { useNow } from '../../shared/useNow.ts'
import { appStore } from '../../stores/app.ts'
import { useChat } from '../../stores/chat.ts'
import { useStage } from '../../stores/chatPage.ts'
import { isRunning } from '../../stores/openChat.ts'
import { ActionButton, SmallButton } from './actionButtons.tsx'
import { stop } from './actions.ts'
import { CopyMessage } from './CopyMessage.tsx'
import { LeftOutMark } from './context/LeftOutMark.tsx'
import { runningSpeed } from './facts.ts'
import { useMessage } from './hooks.ts'
import { MessageMenu } from './MessageMenu.tsx'
import { continueWith } from './messageActions.ts'
import { figure, useChatTranslate } from './messages.ts'
import { ReplyEnd } from './ReplyEnd.tsx'
import { FactsButton } from './ReplyFooter.tsx'
import { ReplyBody } from './ReplyView.tsx'
import { SpeakButton } from './voice/SpeakButton.tsx'
import { Who } from './Who.tsx'

/** From this number of columns on, the inspector closes to give them its width. */
const needWidth = 3
/** Fewer pixels than this are no hidden column, but rounding. */
const edgePx = 4

/** Replies side by side: several choices of one request, or several models. The person continues with one of them. */
export function Columns({ askId, pathId }: { askId: string; pathId: string }) {
  const t = useChatTranslate()
  const names = useRef<HTMLDivElement>(null)
  const columns = useRef<HTMLElement>(null)
  const ids = useChat(useShallow(({ open }) => open?.besideIds ?? []))
  const models = useChat(useShallow(({ open }) => open?.beside.map(({ model }) => model ?? t('assistant')) ?? []))
  const running = useChat(({ open }) => open?.beside.some(isRunning) ?? false)
  const chosenId = useStage(({ chosen }) => chosen[askId] ?? null)
  const sameModel = new Set(models).size < models.length
  // When the path does not contain the first reply, the person chose another reply before this window opened.
  const isChosen = chosenId === pathId || ids[0] !== pathId
  const nameOf = (at: number): string => {
    const model = models[at] ?? t('assistant')
    return sameModel ? t('choice', { choice: at + 1, model }) : model
  }
  const { above, measure } = useRepliesAbove(names, columns, ids)
  const { hidden, measureHidden, scrollBy } = useSideways(columns, ids.length)
  useEffect(() => {
    if (ids.length >= needWidth) appStore.setState({ inspectorShown: false })
  }, [ids.length])
  return (
    <section className="chat-turn chat-beside" aria-label={t('beside', { count: ids.length })} data-ask={askId}>
      <div className="chat-column-head">
        <div className="chat-column-names" ref={names} aria-hidden>
          {ids.map((id, at) => (
            <ColumnName key={id} id={id} name={nameOf(at)} isAbove={above.has(id)} />
          ))}
        </div>
        {hidden.before && (
          <ActionButton icon={ChevronLeft} label={t('besidePrevious')} action="previous" onClick={() => scrollBy(-1)} />
        )}
        {hidden.after && (
          <ActionButton icon={ChevronRight} label={t('besideNext')} action="next" onClick={() => scrollBy(1)} />
        )}
      </div>
      <section
        ref={columns}
        className="chat-columns"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls sideways must be reachable by keyboard (WCAG 2.1.1)
        tabIndex={0}
        aria-label={t('besideScroll')}
        onScroll={({ currentTarget: { scrollLeft } }) => {
          if (names.current) names.current.scrollLeft = scrollLeft
          measure()
          measureHidden()
        }}
      >
        {ids.map((id, at) => (
          <Column key={id} id={id} name={nameOf(at)} chosen={isChosen && id === pathId} />
        ))}
      </section>
      {!isChosen && !running && (
        <p className="chat-beside-note">{t('besideUnchosen', { name: nameOf(ids.indexOf(pathId)) })}</p>
      )}
    </section>
  )
}

/** Whether columns are hidden before and after the visible ones, and scrolls by whole columns. */
function useSideways(columns: RefObject<HTMLElement | null>, count: number) {
  const [hidden, setHidden] = useState({ before: false, after: false })
  const measureHidden = useCallback((): void => {
    const box = columns.current
    if (!box) return
    // Negative from right to left.
    const from = Math.abs(box.scrollLeft)
    const before = from > edgePx
    const after = box.scrollWidth - box.clientWidth - from > edgePx
    setHidden((was) => (was.before === before && was.after === after ? was : { before, after }))
  }, [columns])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another reply changes the width of the content, not of the box
  useEffect(() => {
    const sizes = new ResizeObserver(measureHidden)
    if (columns.current) sizes.observe(columns.current)
    return () => sizes.disconnect()
  }, [columns, measureHidden, count])
  const scrollBy = (steps: number): void => {
    const box = columns.current
    const [first, second] = box?.children ?? []
    if (!box || !first || !second) return
    const step = second.getBoundingClientRect().left - first.getBoundingClientRect().left
    box.scrollBy({ left: steps * step })
    // The button may disappear. Arrow keys go on from here.
    box.focus({ preventScroll: true })
  }
  return { hidden, measureHidden, scrollBy }
}

/**
 * Which replies end above the fixed names, because they are shorter than the others. `measure` reads the positions again: the observer does
 * not report columns that are scrolled out sideways.
 */
function useRepliesAbove(
  names: RefObject<HTMLElement | null>,
  columns: RefObject<HTMLElement | null>,
  ids: readonly string[],
): { above: ReadonlySet<string>; measure: () => void } {
  const [above, setAbove] = useState<ReadonlySet<string>>(new Set())
  const measure = useCallback((): void => {
    const edge = names.current?.getBoundingClientRect().bottom
    if (edge === undefined || !columns.current) return
    const ended = [...columns.current.children].flatMap((column, at) => {
      const id = ids[at]
      return id !== undefined && column.getBoundingClientRect().bottom <= edge ? [id] : []
    })
    setAbove((before) =>
      before.size === ended.length && ended.every((id) => before.has(id)) ? before : new Set(ended),
    )
  }, [names, columns, ids])
  useEffect(() => {
    const height = names.current?.offsetHeight ?? 0
    const root = names.current?.closest('.chat-talk') ?? null
    const observer = new IntersectionObserver(measure, { root, rootMargin: `-${height}px 0px 0px 0px` })
    for (const column of columns.current?.children ?? []) observer.observe(column)
    return () => observer.disconnect()
  }, [names, columns, measure])
  return { above, measure }
}

/** The name above a column, which stays visible while the column scrolls. Screen readers use the column's own heading. */
function ColumnName({ id, name, isAbove }: { id: string; name: string; isAbove: boolean }) {
  const t = useChatTranslate()
  const reply = useMessage(id)
  return (
    <div data-above={isAbove}>
      {reply && (
        <Who
          name={name}
          model={reply.model ?? t('assistant')}
          instant={reply.createdAt}
          streaming={reply.status === 'streaming'}
        />
      )}
      {isAbove && <p>{t('replyAbove')}</p>}
    </div>
  )
}

function Column({ id, name, chosen }: { id: string; name: string; chosen: boolean }) {
  const t = useChatTranslate()
  const reply = useMessage(id)
  const stopping = useChat((state) => state.stopping.has(id))
  if (!reply) return null
  const running = isRunning(reply)
  return (
    <article
      className="chat-column"
      aria-label={chosen ? t('selectedOne', { name }) : name}
      aria-busy={running}
      data-message-id={reply.id}
      data-role="assistant"
      data-status={reply.status}
      data-kept={chosen}
    >
      <header className="chat-who chat-sr">
        <h2>{name}</h2>
      </header>
      <ReplyBody reply={reply} />
      <ReplyEnd reply={reply} />
      <LeftOutMark message={reply} />
      <footer>
        {running ? (
          <>
            <LiveSpeed reply={reply} />
            <SmallButton
              icon={Square}
              label={t(stopping ? 'stopping' : 'stop')}
              aria-disabled={stopping}
              aria-label={t('stopOne', { name })}
              onClick={() => void stop(reply.id)}
            />
          </>
        ) : (
          <Settled reply={reply} />
        )}
        {chosen ? (
          <span className="chat-kept">
            <Check aria-hidden /> {t('selected')}
          </span>
        ) : (
          <button
            type="button"
            className="chat-btn chat-small"
            data-action="keep"
            aria-label={t('useReplyOne', { name })}
            onClick={() => void continueWith(reply)}
          >
            {t('useReply')}
          </button>
        )}
      </footer>
    </article>
  )
}

function Settled({ reply }: { reply: Message }) {
  return (
    <>
      <FactsButton reply={reply} parts={[reply]} />
      <span className="chat-column-actions">
        <CopyMessage message={reply} />
        {reply.text !== '' && <SpeakButton messageId={reply.id} text={reply.text} />}
        <MessageMenu message={reply} parts={[reply]} />
      </span>
    </>
  )
}

/** Tokens per second during streaming. Estimated from the text length, because the service counts tokens only at the end. */
function LiveSpeed({ reply }: { reply: Message }) {
  const t = useChatTranslate()
  const now = useNow(500)
  const speed = runningSpeed(reply, now)
  return <span className="chat-speed">{speed === null ? '' : t('perSecondAbout', { speed: figure(speed) })}</span>
}
