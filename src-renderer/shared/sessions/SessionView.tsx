import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { CacheLoss, SessionTurn } from '../../../src-preload/contract/sessions.ts'
import { problemOf } from '../../api/problem.ts'
import { joinSentences, showCount, showInstant, showMs, showSc } from '../../i18n/format.ts'
import { ProblemNotice } from '../errors/ProblemNotice.tsx'
import { sumSc } from '../money/sc.ts'
import { useStudio } from '../studioContext.ts'
import { Button } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { FiguresTable } from '../ui/FiguresTable.tsx'
import { Pill } from '../ui/Pill.tsx'
import { plainText } from '../ui/plainText.ts'
import { keptText, lossTexts } from './lossTexts.ts'

interface Shown {
  turns: readonly SessionTurn[]
  /** Turns of the whole session. */
  count: number
}

/** One session: why it cost what it cost, a chart of its turns, and their figures. Read again when `ended` or `turns` changes. */
export function SessionView({
  id,
  ended,
  turns: count,
  onRequest,
}: {
  id: number
  ended: string
  turns: number
  /** Shows a request of the log. */
  onRequest: (row: number) => void
}) {
  const { t } = useTranslation('sessions')
  const studio = useStudio()
  const [shown, setShown] = useState<Shown | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  /** The reason of the turns that are shown, or null for all turns. */
  const [only, setOnly] = useState<CacheLoss['change'] | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a session that goes on has new turns
  useEffect(() => {
    const left = new AbortController()
    studio.sessions.get({ id }, { signal: left.signal }).then(
      ({ session, turns }) => setShown({ turns, count: session.turns }),
      (thrown: unknown) => left.signal.aborted || setProblem(problemOf(thrown)),
    )
    return () => left.abort()
  }, [studio, id, ended, count])
  if (problem) return <ProblemNotice problem={problem} noAction />
  if (!shown)
    return (
      <p role="status" className="text-soft">
        {t('loading')}
      </p>
    )
  return (
    <div className="session-view">
      <Findings turns={shown.turns} only={only} onOnly={setOnly} />
      <TurnChart turns={shown.turns} />
      {shown.turns.length < shown.count && (
        <p className="text-soft">{t('shownTurns', { count: shown.turns.length })}</p>
      )}
      <TurnTable turns={shown.turns} first={shown.count - shown.turns.length} only={only} onRequest={onRequest} />
    </div>
  )
}

const hasLost = ({ loss }: SessionTurn): boolean => loss.tokens > 0

interface Finding {
  loss: CacheLoss
  turns: number
  tokens: number
  costs: string[]
  isPriced: boolean
}

/** Losses with the same reason are one finding. */
function findingsOf(turns: readonly SessionTurn[]): Finding[] {
  const findings = new Map<string, Finding>()
  for (const { loss } of turns.filter(hasLost)) {
    const known = findings.get(loss.change)
    findings.set(loss.change, {
      loss,
      turns: (known?.turns ?? 0) + 1,
      tokens: (known?.tokens ?? 0) + loss.tokens,
      costs: [...(known?.costs ?? []), ...(loss.cost === null ? [] : [loss.cost])],
      isPriced: (known?.isPriced ?? true) && loss.cost !== null,
    })
  }
  return [...findings.values()].sort((a, b) => b.tokens - a.tokens)
}

interface FindingsProps {
  turns: readonly SessionTurn[]
  only: CacheLoss['change'] | null
  onOnly: (only: CacheLoss['change'] | null) => void
}

function Findings({ turns, only, onOnly }: FindingsProps) {
  const { t } = useTranslation('sessions')
  const findings = findingsOf(turns)
  return (
    <section aria-label={t('findings.title')}>
      <h3 className="font-semibold">{t('findings.title')}</h3>
      {findings.length === 0 && <p className="text-soft">{t('findings.none')}</p>}
      <ul className="flex flex-col gap-2">
        {findings.map(({ loss, turns: count, tokens, costs, isPriced }) => {
          const { what, advice } = lossTexts(loss)
          return (
            <li key={loss.change}>
              <p>
                <span className="font-[540]">{what}</span> <Pill tone="warn">{t('findings.turns', { count })}</Pill>
              </p>
              <p className="text-soft">
                {joinSentences([
                  t(isPriced ? 'findings.lost' : 'findings.lostUnpriced', {
                    count: tokens,
                    cost: showSc(sumSc(costs)),
                  }),
                  advice,
                ])}
              </p>
              <Button
                size="small"
                className="mt-1"
                aria-pressed={only === loss.change}
                onClick={() => onOnly(only === loss.change ? null : loss.change)}
              >
                {t(only === loss.change ? 'findings.showAll' : 'findings.only')}
              </Button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

interface Bar {
  id: number
  cached: number
  fresh: number
  out: number
  lost: boolean
}

const barOf = (turn: SessionTurn): Bar => {
  const { id, tokensIn, tokensCached, tokensOut } = turn.row
  const cached = tokensCached ?? 0
  return { id, cached, fresh: (tokensIn ?? 0) - cached, out: tokensOut ?? 0, lost: hasLost(turn) }
}

/** Percent of the chart. Above the highest bar is space for its mark. */
const highest = 88
const parts = ['cached', 'fresh', 'out'] as const

/** Stacked bars, one for each turn. A picture: the table has the same figures for the keyboard and for screen readers. */
function TurnChart({ turns }: { turns: readonly SessionTurn[] }) {
  const { t } = useTranslation('sessions')
  const bars = turns.map(barOf)
  const most = Math.max(1, ...bars.map(({ cached, fresh, out }) => cached + fresh + out))
  const sum = (of: (bar: Bar) => number): string => showCount(bars.reduce((total, bar) => total + of(bar), 0))
  const label = t('chart.label', {
    count: bars.length,
    cached: sum(({ cached }) => cached),
    fresh: sum(({ fresh }) => fresh),
    out: sum(({ out }) => out),
    lost: showCount(bars.filter(({ lost }) => lost).length),
  })
  return (
    <figure className="session-figure">
      <figcaption className="session-legend">
        <span className="font-semibold text-ink">{t('chart.title')}</span>
        {parts.map((part) => (
          <span key={part}>
            <i aria-hidden data-part={part} />
            {t(`chart.${part}`)}
          </span>
        ))}
        <span>
          <i aria-hidden data-part="lost">
            ▼
          </i>
          {t('chart.lost')}
        </span>
      </figcaption>
      <div role="img" aria-label={label} dir="ltr" className="session-chart">
        {bars.map((bar) => (
          <span key={bar.id} className="session-bar" data-lost={bar.lost}>
            {bar.lost && <b>▼</b>}
            {[...parts].reverse().map((part) => (
              <i key={part} data-part={part} style={{ height: `${(highest * bar[part]) / most}%` }} />
            ))}
          </span>
        ))}
      </div>
    </figure>
  )
}

function TurnTable({
  turns,
  first,
  only,
  onRequest,
}: Pick<FindingsProps, 'turns' | 'only'> & { first: number; onRequest: (row: number) => void }) {
  const { t } = useTranslation('sessions')
  const figures = ['toolCalls', 'tokensIn', 'cached', 'tokensOut', 'cost', 'duration'] as const
  return (
    <FiguresTable
      label={t('turns')}
      columns={[
        { id: 'turn', title: t('columns.turn') },
        { id: 'model', title: t('columns.model') },
        ...figures.map((id) => ({ id, title: t(`columns.${id}`), num: true })),
        { id: 'cache', title: t('columns.cache') },
      ]}
    >
      {turns.map((turn, at) =>
        only !== null && (turn.loss.change !== only || !hasLost(turn)) ? null : (
          <TurnRow key={turn.row.id} turn={turn} number={first + at + 1} onRequest={onRequest} />
        ),
      )}
    </FiguresTable>
  )
}

const figure = (count: number | null): string => (count === null ? '–' : showCount(count))

function TurnRow({ turn, number, onRequest }: { turn: SessionTurn; number: number; onRequest: (row: number) => void }) {
  const { t } = useTranslation('sessions')
  const { row } = turn
  return (
    <tr>
      <th scope="row">
        <button
          type="button"
          className="figures-open"
          aria-label={t('showTurn', { turn: showCount(number) })}
          onClick={() => onRequest(row.id)}
        >
          {showCount(number)} <small className="text-soft">{showInstant(row.at)}</small>
        </button>
      </th>
      <td dir="auto">{row.model === null ? '–' : plainText(row.model)}</td>
      <td className="num">{showCount(turn.toolCalls)}</td>
      <td className="num">{figure(row.tokensIn)}</td>
      <td className="num">{figure(row.tokensCached)}</td>
      <td className="num">{figure(row.tokensOut)}</td>
      <td className="num">{row.cost === null ? t('unknown') : showSc(row.cost)}</td>
      <td className="num">{row.durationMs === null ? '–' : showMs(row.durationMs)}</td>
      <td className={cx('session-why', hasLost(turn) && 'text-ink')}>
        <CacheCell turn={turn} />
      </td>
    </tr>
  )
}

function CacheCell({ turn }: { turn: SessionTurn }) {
  const { t } = useTranslation('sessions')
  const { loss } = turn
  if (!hasLost(turn)) return <span className="text-soft">{keptText(turn)}</span>
  return (
    <>
      <Pill tone="warn">{t('lostTokens', { count: loss.tokens, tokens: showCount(loss.tokens) })}</Pill>{' '}
      {lossTexts(loss).what}
    </>
  )
}
