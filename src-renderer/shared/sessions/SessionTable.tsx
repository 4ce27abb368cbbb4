import '../chart/figures.css'
import './sessions.css'
import { ChevronDown, ChevronRight, ListX, MessagesSquare } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { exact } from '../../../src-preload/contract/amountText.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { AgentSession, SessionFilter } from '../../../src-preload/contract/sessions.ts'
import type { Client } from '../../api/connect.ts'
import { problemOf } from '../../api/problem.ts'
import { showCount, showInstant, showMs, showSc, showShare } from '../../i18n/format.ts'
import { ProblemNotice } from '../errors/ProblemNotice.tsx'
import { useStudio } from '../studioContext.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { FiguresTable } from '../ui/FiguresTable.tsx'
import { Pill } from '../ui/Pill.tsx'
import { plainText } from '../ui/plainText.ts'
import { SessionFilters } from './SessionFilters.tsx'
import { SessionView } from './SessionView.tsx'

/** Sessions that are read at once. */
const pageSize = 50
/** Time between two reads, ms, so that a running session grows. */
const againEvery = 5000

interface Listed {
  sessions: readonly AgentSession[]
  more: boolean
}

export interface SessionTableProps {
  /** The session that is open at first. */
  open?: number | null
  /** Shows a request of the log. */
  onRequest: (row: number) => void
}

/** The newest sessions of all apps, with their filters. Each is a row that opens. */
export function SessionTable(props: SessionTableProps) {
  const [filter, setFilter] = useState<SessionFilter>({})
  return (
    <div className="flex flex-col gap-3">
      <SessionFilters filter={filter} onFilter={setFilter} />
      <Sessions key={JSON.stringify(filter)} {...props} filter={filter} onClear={() => setFilter({})} />
    </div>
  )
}

const isEmpty = (filter: SessionFilter): boolean => Object.keys(filter).length === 0

function Sessions({
  open,
  onRequest,
  filter,
  onClear,
}: SessionTableProps & { filter: SessionFilter; onClear: () => void }) {
  const { t } = useTranslation('sessions')
  const [count, setCount] = useState(pageSize)
  // A session that was asked for is shown whatever its age, but not against a filter.
  const { listed, problem } = useSessions(count, isEmpty(filter) ? (open ?? null) : null, filter)
  if (problem) return <ProblemNotice problem={problem} noAction />
  if (!listed)
    return (
      <p role="status" className="text-soft">
        {t('loading')}
      </p>
    )
  if (listed.sessions.length === 0 && !isEmpty(filter))
    return (
      <EmptyState icon={ListX} title={t('noneMatch')} action={<Button onClick={onClear}>{t('filter.clear')}</Button>} />
    )
  if (listed.sessions.length === 0)
    return (
      <EmptyState icon={MessagesSquare} title={t('emptyTitle')}>
        {t('empty')}
      </EmptyState>
    )
  const figures = ['turns', 'toolCalls', 'tokensIn', 'cached', 'tokensOut', 'cost', 'duration'] as const
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the table scrolls where it is wider than the window */}
      <section className="figures-box session-table" aria-label={t('table')} tabIndex={0}>
        <FiguresTable
          label={t('table')}
          columns={[
            { id: 'session', title: t('columns.session') },
            ...figures.map((id) => ({ id, title: t(`columns.${id}`), num: true })),
            { id: 'lost', title: t('columns.lost') },
          ]}
        >
          {listed.sessions.map((session) => (
            <SessionRow key={session.id} session={session} isOpenFirst={session.id === open} onRequest={onRequest} />
          ))}
        </FiguresTable>
      </section>
      {listed.more && (
        <Button className="self-start" onClick={() => setCount(count + pageSize)}>
          {t('more')}
        </Button>
      )}
    </>
  )
}

/** Reads the sessions now and every few seconds. `open` is read too, where it is older than the newest ones. */
function useSessions(count: number, open: number | null, filter: SessionFilter) {
  const studio = useStudio()
  const [listed, setListed] = useState<Listed | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  useEffect(() => {
    const ended = new AbortController()
    const read = (): void => {
      readSessions(studio, { filter, count, open }, ended.signal).then(
        (all) => {
          setListed(all)
          setProblem(null)
        },
        (thrown: unknown) => ended.signal.aborted || setProblem(problemOf(thrown)),
      )
    }
    read()
    const timer = setInterval(read, againEvery)
    return () => {
      clearInterval(timer)
      ended.abort()
    }
  }, [studio, count, open, filter])
  return { listed, problem }
}

/** Most sessions of one read of the core. */
const maxRead = 200

async function readSessions(
  studio: Client,
  { filter, count, open }: { filter: SessionFilter; count: number; open: number | null },
  signal: AbortSignal,
): Promise<Listed> {
  const sessions: AgentSession[] = []
  let more = true
  while (more && sessions.length < count) {
    const limit = Math.min(maxRead, count - sessions.length)
    const read = await studio.sessions.list({ filter, skip: sessions.length, limit }, { signal })
    sessions.push(...read.sessions)
    more = read.more
  }
  if (open === null || sessions.some(({ id }) => id === open)) return { sessions, more }
  const { session } = await studio.sessions.get({ id: open }, { signal })
  return { sessions: [session, ...sessions], more }
}

const whoName = ({ who }: Pick<AgentSession, 'who'>): string => plainText(who.kind === 'app' ? who.name : '')

function SessionRow({
  session,
  isOpenFirst,
  onRequest,
}: Pick<SessionTableProps, 'onRequest'> & { session: AgentSession; isOpenFirst: boolean }) {
  const { t } = useTranslation('sessions')
  const [isOpen, setOpen] = useState(isOpenFirst)
  const Icon = isOpen ? ChevronDown : ChevronRight
  const names = { app: whoName(session), at: showInstant(session.began) }
  return (
    <>
      <tr>
        <th scope="row">
          <button
            type="button"
            className="figures-open"
            aria-expanded={isOpen}
            aria-label={t(isOpen ? 'close' : 'open', names)}
            onClick={() => setOpen(!isOpen)}
          >
            <span className="figures-name">
              <Icon aria-hidden size={14} className="shrink-0 text-faint rtl:-scale-x-100" />
              <span dir="auto">{names.app}</span>
              <small className="text-soft">{names.at}</small>
            </span>
          </button>
        </th>
        <td className="num">{showCount(session.turns)}</td>
        <td className="num">{showCount(session.toolCalls)}</td>
        <td className="num">{showCount(session.tokensIn)}</td>
        <td className="num">
          {showCount(session.tokensCached)}{' '}
          {session.tokensIn > 0 && <small>{showShare(session.tokensCached / session.tokensIn)}</small>}
        </td>
        <td className="num">{showCount(session.tokensOut)}</td>
        <td className="num">
          <SessionCost session={session} />
        </td>
        <td className="num">{showMs(session.durationMs)}</td>
        <td className="session-lost">
          <LostTurns session={session} />
        </td>
      </tr>
      {isOpen && (
        <tr className="session-open">
          <td colSpan={9}>
            <SessionView id={session.id} ended={session.ended} turns={session.turns} onRequest={onRequest} />
          </td>
        </tr>
      )}
    </>
  )
}

function SessionCost({ session: { cost, costIs, unpriced, turns } }: { session: AgentSession }) {
  const { t } = useTranslation('sessions')
  if (unpriced === turns) return t('unknown')
  return (
    <>
      {unpriced > 0 ? (
        <Trans t={t} i18nKey="atLeast" values={{ figure: showSc(cost) }} components={{ small: <small /> }} />
      ) : (
        showSc(cost)
      )}{' '}
      {costIs === 'estimated' && <small>{t('estimated')}</small>}
    </>
  )
}

function LostTurns({ session: { lostTurns, lostCost } }: { session: AgentSession }) {
  const { t } = useTranslation('sessions')
  if (lostTurns === 0) return <span className="text-soft">{t('lostNothing')}</span>
  return (
    <>
      <Pill tone="warn">{t('lostTurns', { count: lostTurns })}</Pill>{' '}
      {exact(lostCost) > 0n && <span className="num">{t('lostCost', { cost: showSc(lostCost) })}</span>}
    </>
  )
}
