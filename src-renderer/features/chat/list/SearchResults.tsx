import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SearchHit } from '../../../../src-preload/contract/library.ts'
import { showDay } from '../../../i18n/format.ts'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../../shared/studioContext.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { jumpStore } from '../../../stores/jump.ts'
import { attempt } from '../client.ts'
import { showChat } from './actions.ts'
import { grouped, noSearch, type SearchState, searcher, wordsOf } from './search.ts'

/** The core's limit of results. */
const most = 200

export const resultId = (at: number): string => `list-hit-${at}`

export interface Results {
  state: SearchState
  /** In display order, which the arrow keys follow. */
  hits: readonly SearchHit[]
  showMore: () => void
}

/** The results for the typed text. */
export function useSearch(text: string): Results {
  const studio = useStudio()
  const [state, setState] = useState<SearchState>(noSearch)
  const [wide, setWide] = useState<string | null>(null)
  const [search, setSearch] = useState<ReturnType<typeof searcher> | null>(null)
  useEffect(() => {
    const made = searcher(studio.library.search, setState)
    setSearch(made)
    return () => made.stop()
  }, [studio])
  useEffect(() => search?.type(text, wide === text ? most : undefined), [search, text, wide])
  const hits = grouped(state.found?.hits ?? []).flatMap((group) => group.hits)
  return { state, hits, showMore: () => setWide(text) }
}

/** Opens the chat at the message, and selects the branch of the message if needed. */
export async function openHit(hit: SearchHit, text: string): Promise<void> {
  const { conversationId, messageId } = hit
  if (messageId !== null) {
    if (!hit.onPath) await attempt((client) => client.chat.activatePath({ messageId }))
    jumpStore.setState({ jump: { conversationId, messageId, words: wordsOf(text) } })
  }
  showChat(conversationId)
}

interface Shown {
  results: Results
  /** The result that Enter opens. */
  at: number
  onAt: (at: number) => void
  onOpen: (hit: SearchHit) => void
  /** Ends the search and shows the chats. */
  onEnd: () => void
}

export function SearchResults({ results: { state, hits, showMore }, at, onAt, onOpen, onEnd }: Shown) {
  const { t } = useTranslation('library')
  const { found, busy, problem } = state
  const count = hits.length
  let place = -1
  return (
    <>
      <div className="list-found">
        <p role="status">
          {found && !busy && count > 0 && t(found.more ? 'foundMore' : 'found', { count })}
          {busy && !found && t('searching')}
        </p>
        <Button size="small" onClick={onEnd}>
          {t('showChats')}
        </Button>
      </div>
      {problem && <ProblemNotice problem={problem} noAction className="mx-3" />}
      <div id="list-hits" role="listbox" aria-label={t('results')} aria-busy={busy} className="list-hits">
        {grouped(found?.hits ?? []).map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, not of form fields
          <div role="group" key={group.conversationId} aria-label={group.title ?? t('untitled')}>
            <div className="list-hit-title" aria-hidden>
              <b className="chat-clip" dir="auto">
                {group.title ?? t('untitled')}
              </b>
              {group.archived && <span>{t('archived')}</span>}
            </div>
            {group.hits.map((hit) => {
              place += 1
              const mine = place
              return (
                <Hit
                  key={hit.messageId ?? 'title'}
                  hit={hit}
                  at={mine}
                  reached={mine === at}
                  onAt={() => onAt(mine)}
                  onOpen={() => onOpen(hit)}
                />
              )
            })}
          </div>
        ))}
      </div>
      {found?.more && !busy && count < most && (
        <Button className="mx-3 mb-3 self-start" onClick={showMore}>
          {t('showMore')}
        </Button>
      )}
      {found && !busy && count === 0 && (
        <div className="chat-list-note">
          <p>{t('nothingFound', { text: found.text })}</p>
          <p className="mt-2">{t('nothingFoundAbout')}</p>
        </div>
      )}
    </>
  )
}

function Hit(props: { hit: SearchHit; at: number; reached: boolean; onAt: () => void; onOpen: () => void }) {
  const { t } = useTranslation('library')
  const { hit, at, reached } = props
  const roles = {
    user: 'roleUser',
    assistant: 'roleAssistant',
    system: 'roleSystem',
    developer: 'roleDeveloper',
    tool: 'roleTool',
  } as const
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled in the search field, which keeps the focus
    <div
      id={resultId(at)}
      role="option"
      tabIndex={-1}
      aria-selected={reached}
      className="list-hit"
      ref={(element) => {
        if (reached) element?.scrollIntoView({ block: 'nearest' })
      }}
      onClick={props.onOpen}
      onMouseMove={props.onAt}
    >
      <span className="list-hit-facts">
        <span>{hit.role === null ? t('inTitle') : t(roles[hit.role])}</span>
        <time dateTime={hit.at}>{showDay(hit.at)}</time>
      </span>
      <span className="list-snippet" dir="auto">
        {hit.snippet.map((piece, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text, drawn once
          piece.hit ? <mark key={index}>{piece.text}</mark> : <span key={index}>{piece.text}</span>,
        )}
      </span>
    </div>
  )
}
