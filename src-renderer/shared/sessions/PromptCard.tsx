import './sessions.css'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import type { CacheLoss, PromptSection } from '../../../src-preload/contract/sessions.ts'
import type { Client } from '../../api/connect.ts'
import { inSc, joinFacts, showCount, showSc } from '../../i18n/format.ts'
import { hrefOf } from '../../stores/route.ts'
import { useStudio } from '../studioContext.ts'
import { Button } from '../ui/Button.tsx'
import { FiguresTable } from '../ui/FiguresTable.tsx'
import { InspectorSection } from '../ui/InspectorSection.tsx'
import { KeyValue } from '../ui/KeyValue.tsx'
import { lossTexts, sectionName } from './lossTexts.ts'

type Explained = NonNullable<Awaited<ReturnType<Client['sessions']['prompt']>>>

/** Why a request of the log cost what it cost. Nothing for a request of no session, and while it runs. */
export function PromptCard({ row }: { row: RequestRow }) {
  const { t } = useTranslation('sessions')
  const explained = useExplained(row)
  if (!explained) return null
  const { loss, sections, turn, turns, session } = explained
  const { what, advice } = lossTexts(loss)
  return (
    <InspectorSection title={t('prompt.title')}>
      <p className="pb-1 font-[540]">{what}</p>
      {loss.tokens > 0 && advice !== '' && <p className="pb-2 text-s text-soft">{advice}</p>}
      <KeyValue
        rows={[
          {
            id: 'turn',
            name: t('prompt.turnName'),
            value: (
              <a className="underline underline-offset-2" href={hrefOf({ page: 'usage', id: `session-${session}` })}>
                {t('prompt.turn', { turn: showCount(turn), turns: showCount(turns) })}
              </a>
            ),
          },
          ...lostRows(loss, t),
        ]}
      />
      {sections.length > 0 && <Sections sections={sections} />}
    </InspectorSection>
  )
}

function lostRows(loss: CacheLoss, t: ReturnType<typeof useTranslation<'sessions'>>['t']) {
  if (loss.change === 'first' || loss.change === 'unread' || loss.change === 'none') return []
  if (loss.tokens === 0) return [{ id: 'lost', name: t('prompt.lost'), value: t('prompt.lostNothing'), quiet: true }]
  const certainty = loss.tokensAre === 'measured' ? t('prompt.measured') : t('prompt.estimated')
  return [
    { id: 'lost', name: t('prompt.lost'), value: joinFacts([showCount(loss.tokens), certainty]) },
    {
      id: 'cost',
      name: t('prompt.cost'),
      value: loss.cost === null ? t('unknown') : joinFacts([inSc(showSc(loss.cost)), t('prompt.estimated')]),
    },
  ]
}

function useExplained({ id, endpoint, durationMs }: RequestRow): Explained | null {
  const studio = useStudio()
  const [explained, setExplained] = useState<{ id: number; prompt: Explained | null } | null>(null)
  const isReady = endpoint === 'chat' && durationMs !== null
  useEffect(() => {
    if (!isReady) return
    const left = new AbortController()
    studio.sessions.prompt({ request: id }, { signal: left.signal }).then(
      (prompt) => setExplained({ id, prompt }),
      // The details of the request report a lost connection.
      () => setExplained(null),
    )
    return () => left.abort()
  }, [studio, id, isReady])
  return explained?.id === id ? explained.prompt : null
}

/** Neighbours of one kind in the same state are one row: a long conversation has hundreds of sections. */
interface Run {
  first: PromptSection
  count: number
  tokens: number | null
}

function runsOf(sections: readonly PromptSection[]): Run[] {
  const runs: Run[] = []
  for (const section of sections) {
    const last = runs.at(-1)
    const isSame = section.state === 'same' && last?.first.state === 'same' && last.first.kind === section.kind
    if (!last || !isSame) runs.push({ first: section, count: 1, tokens: section.tokens })
    else {
      last.count += 1
      last.tokens = last.tokens === null || section.tokens === null ? null : last.tokens + section.tokens
    }
  }
  return runs
}

/** Rows that are shown of one prompt at first. */
const maxRuns = 60

function Sections({ sections }: { sections: readonly PromptSection[] }) {
  const { t } = useTranslation('sessions')
  const [isWhole, setWhole] = useState(false)
  const runs = runsOf(sections)
  return (
    <div className="session-sections">
      <FiguresTable
        label={t('prompt.sections')}
        columns={[
          { id: 'part', title: t('prompt.part') },
          { id: 'tokens', title: t('prompt.tokens'), num: true },
          { id: 'state', title: t('prompt.state') },
        ]}
      >
        {runs.slice(0, isWhole ? runs.length : maxRuns).map(({ first, count, tokens }) => (
          <tr key={`${first.kind} ${first.place}`}>
            <th scope="row">
              {sectionName(first)} {count > 1 && <small className="text-soft">{t('prompt.grouped', { count })}</small>}
            </th>
            <td className="num">{tokens === null ? '–' : showCount(tokens)}</td>
            <td className={first.state === 'first' ? 'font-[560]' : 'text-soft'}>
              {t(`prompt.states.${first.state}`)}
            </td>
          </tr>
        ))}
      </FiguresTable>
      {runs.length > maxRuns && !isWhole && (
        <Button size="small" onClick={() => setWhole(true)}>
          {t('prompt.all', { figure: showCount(sections.length) })}
        </Button>
      )}
      <p className="text-s text-soft">{t('prompt.about')}</p>
    </div>
  )
}
