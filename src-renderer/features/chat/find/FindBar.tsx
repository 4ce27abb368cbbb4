import { CaseSensitive, ChevronDown, ChevronUp, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react'
import { isComposing } from '../../../shared/isComposing.ts'
import { IconButton } from '../../../shared/ui/Button.tsx'
import { useChat } from '../../../stores/chat.ts'
import { patternOf, useFind } from '../../../stores/chatFind.ts'
import { shownMessages } from '../../../stores/openChat.ts'
import { focusComposer } from '../focus.ts'
import { figure, useChatTranslate } from '../messages.ts'
import { hideFind, step } from './actions.ts'
import { matchesIn } from './matches.ts'
import { useMarks } from './useMarks.ts'

/** Finds a text in the open chat, including messages that are not in the page. */
export function FindBar() {
  const shown = useFind((state) => state.shown)
  const id = useChat((state) => state.open?.id ?? null)
  return shown && id !== null ? <Bar key={id} /> : null
}

function Bar() {
  const t = useChatTranslate()
  const field = useRef<HTMLInputElement>(null)
  const find = useFind()
  const { text, matchCase, words: terms, focused } = find
  const open = useChat((state) => state.open)
  const pattern = useMemo(() => patternOf({ text, matchCase, words: terms }), [text, matchCase, terms])
  const matches = useMemo(() => matchesIn(open ? shownMessages(open) : [], pattern), [open, pattern])
  const at = Math.min(find.at, matches.count - 1)
  const match = useMemo(() => matches.at(at), [matches, at])
  useMarks(pattern, match)

  const inMessage = match?.id ?? null
  useEffect(() => {
    useFind.setState({ inMessage })
    return () => useFind.setState({ inMessage: null })
  }, [inMessage])

  useEffect(() => {
    if (focused === 0) return focusComposer()
    field.current?.focus()
    field.current?.select()
  }, [focused])

  const byKey = (event: KeyboardEvent): void => {
    if (isComposing(event)) return
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1, matches.count)
    else if (event.key === 'Escape') hideFind()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const count =
    pattern === null
      ? ''
      : matches.count === 0
        ? t('findNone')
        : t('findCount', { at: figure(at + 1), all: figure(matches.count) })
  return (
    <search className="chat-find" onKeyDown={byKey}>
      <input
        dir="auto"
        ref={field}
        aria-label={t('find')}
        placeholder={t('find')}
        value={text}
        spellCheck={false}
        onChange={(event) =>
          useFind.setState(({ asked }) => ({ text: event.target.value, words: null, at: 0, asked: asked + 1 }))
        }
      />
      <output data-none={pattern !== null && matches.count === 0}>{count}</output>
      <IconButton
        icon={CaseSensitive}
        size="small"
        label={t('findCase')}
        pressed={matchCase}
        onClick={() => useFind.setState({ matchCase: !matchCase, at: 0 })}
      />
      <IconButton
        icon={ChevronUp}
        size="small"
        label={t('findPrevious')}
        disabled={matches.count === 0}
        onClick={() => step(-1, matches.count)}
      />
      <IconButton
        icon={ChevronDown}
        size="small"
        label={t('findNext')}
        disabled={matches.count === 0}
        onClick={() => step(1, matches.count)}
      />
      <IconButton icon={X} size="small" label={t('findClose')} onClick={hideFind} />
    </search>
  )
}
