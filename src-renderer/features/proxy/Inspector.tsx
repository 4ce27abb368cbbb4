import { X } from 'lucide-react'
import { Fragment, type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { problemKind } from '../../../src-preload/contract/problem.ts'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { inSc, showNames, showSize } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { problemTexts } from '../../shared/errors/texts.ts'
import { PromptCard } from '../../shared/sessions/PromptCard.tsx'
import { IconButton } from '../../shared/ui/Button.tsx'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { InspectorSection } from '../../shared/ui/InspectorSection.tsx'
import { KeyValue } from '../../shared/ui/KeyValue.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { Pill } from '../../shared/ui/Pill.tsx'
import { Sc, WithSc } from '../../shared/ui/WithSc.tsx'
import { useNow } from '../../shared/useNow.ts'
import { useApp } from '../../stores/app.ts'
import { type Inspected, isOpen, selectedRow, useRequests } from '../../stores/requests.ts'
import { askDetail, closeDetail } from './actions.ts'
import { Dot, Time } from './appearance.tsx'
import { Bodies, Headers } from './Bodies.tsx'
import { count, requestedModel, showSc } from './figures.ts'
import { RequestActions } from './RequestActions.tsx'
import { kindOfStatus, useRowTexts } from './rowMessages.ts'
import { TimelineBars } from './TimelineBars.tsx'

/** The selected request of the log, or the totals since the start. */
export function ProxyInspector() {
  const row = useRequests(selectedRow)
  const inspected = useRequests((store) => store.inspected)
  if (inspected === null) return <SinceStart />
  return <Detail row={row} inspected={inspected} />
}

function SinceStart() {
  const { t } = useTranslation('proxy')
  const proxy = useApp(({ app }) => app?.proxy ?? null)
  if (!proxy) return null
  return (
    <>
      <InspectorSection title={t('figures.title')}>
        <KeyValue
          rows={(['apps', 'active', 'waiting', 'relayed', 'refused', 'refusedUnknown'] as const).map((name) => ({
            id: name,
            name: t(`figures.${name}`),
            value: count(name === 'refusedUnknown' ? proxy.refusedUnknown.count : proxy[name]),
          }))}
        />
      </InspectorSection>
      <InspectorSection title={t('detail.title')}>
        <p className="font-[540]">{t('detail.emptyTitle')}</p>
        <p className="text-soft">{t('detail.empty')}</p>
      </InspectorSection>
    </>
  )
}

function Detail({ row, inspected }: { row: RequestRow | null; inspected: Inspected }) {
  const { t } = useTranslation('proxy')
  const { id, state, detail, problem } = inspected
  const reported = detail?.row.state
  // Reads the details again when the request has changed, because headers, bodies and figures may exist now.
  useEffect(() => {
    if (row && reported && row.state !== reported) void askDetail(id)
  }, [row, reported, id])
  return (
    <section aria-label={t('detail.label')} aria-busy={state === 'loading'} className="flex flex-col">
      {row ? (
        <>
          <Facts row={row} />
          <TimelinePart row={row} />
          <Usage row={row} />
          <PromptCard row={row} />
          <RequestActions row={row} detail={detail} />
        </>
      ) : (
        <InspectorSection title={t('detail.title')} aside={<Close />}>
          <p role="status" className="text-soft">
            {t(state === 'loading' ? 'detail.loading' : 'detail.gone')}
          </p>
        </InspectorSection>
      )}
      {problem && <ProblemNotice problem={problem} on={{ retry: () => void askDetail(id) }} className="m-3" />}
      {detail && (
        <>
          <Bodies detail={detail} />
          <Headers detail={detail} />
        </>
      )}
    </section>
  )
}

function Close() {
  const { t } = useTranslation('proxy')
  return <IconButton icon={X} size="small" label={t('detail.close')} onClick={closeDetail} className="-me-1.5" />
}

function Facts({ row }: { row: RequestRow }) {
  const { t } = useTranslation(['proxy', 'common'])
  const now = useNow(30_000)
  const { who, status, before } = useRowTexts()
  const { words, tone } = status(row)
  const whoName = { app: 'detail.app', studio: 'detail.feature', stranger: 'detail.from' } as const
  const statuses = row.retriedAfter.map((one, at) => (one === 0 ? t('detail.lostConnection') : (before(row)[at] ?? '')))
  const rows = [
    {
      id: 'who',
      name: t(whoName[row.who.kind]),
      value: (
        <span className="inline-flex max-w-full items-center gap-1.5">
          {row.who.kind === 'app' && <Dot colour={row.who.colour} />}
          <span className="min-w-0 break-words">
            {row.who.kind === 'studio' ? t(`log.features.${row.who.feature}`) : who(row.who)}
          </span>
        </span>
      ),
    },
    { id: 'status', name: t('detail.status'), value: <Pill tone={tone}>{words}</Pill> },
    { id: 'endpoint', name: t('detail.endpoint'), value: t(`common:endpoints.${row.endpoint}`) },
    {
      id: 'path',
      name: t('detail.path'),
      value: (
        <code className="break-words font-mono text-s">
          {row.method} <Path path={row.path} />
        </code>
      ),
    },
    ...(row.dialect
      ? [{ id: 'protocol', name: t('detail.protocol'), value: t(`detail.protocols.${row.dialect}`) }]
      : []),
    { id: 'model', name: t('detail.model'), value: <Models row={row} />, quiet: row.model === null },
    { id: 'at', name: t('detail.at'), value: <Time at={row.at} now={now} /> },
    ...(row.times > 1 ? [{ id: 'times', name: t('detail.times'), value: count(row.times) }] : []),
    ...(row.attempts > 1
      ? [
          {
            id: 'attempts',
            name: t('detail.attempts'),
            value: t('detail.attemptsAfter', {
              figure: count(row.attempts),
              statuses: showNames(statuses.map(String)),
            }),
          },
        ]
      : []),
    // A refused request has no reply of the service.
    ...(row.state === 'refused'
      ? []
      : [{ id: 'stream', name: t('detail.stream'), value: t(row.stream ? 'detail.streamed' : 'detail.notStreamed') }]),
    ...(row.finishReason === null
      ? []
      : [{ id: 'finish', name: t('detail.finishReason'), value: <Code>{row.finishReason}</Code> }]),
    ...(row.ignored.length === 0
      ? []
      : [{ id: 'ignored', name: t('detail.ignored'), value: <Code>{row.ignored.join(', ')}</Code> }]),
    ...(row.adapted.length === 0
      ? []
      : [{ id: 'adapted', name: t('detail.adapted'), value: <Code>{row.adapted.join(', ')}</Code> }]),
    ...(row.answer === null
      ? []
      : [{ id: 'answer', name: t('detail.answer'), value: t(`detail.answers.${row.answer}`) }]),
    { id: 'up', name: t('detail.bytesUp'), value: showSize(row.bytesUp) },
    { id: 'down', name: t('detail.bytesDown'), value: showSize(row.bytesDown) },
    {
      id: 'request',
      name: t('detail.requestId'),
      value: row.requestId ? (
        <span className="inline-flex max-w-full items-center justify-end gap-0.5">
          <code className="min-w-0 break-all font-mono text-s">{row.requestId}</code>
          <CopyButton size="small" text={row.requestId} name={t('detail.copyRequestId')} />
        </span>
      ) : (
        t('detail.noRequestId')
      ),
      quiet: row.requestId === null,
    },
  ]
  return (
    <InspectorSection title={t('detail.title')} aside={<Close />}>
      <KeyValue rows={rows} />
      <Ending row={row} />
    </InspectorSection>
  )
}

const Code = ({ children }: { children: string }) => <code className="break-words font-mono text-s">{children}</code>

/** The model that was asked for, the one that was sent and the one that answered, as far as they differ. */
function Models({ row }: { row: RequestRow }) {
  const { t } = useTranslation('proxy')
  const { answeredModel } = row
  const sent = requestedModel(row) ?? t('detail.noModel')
  return answeredModel === null ? sent : t('detail.answeredBy', { model: sent, answered: answeredModel })
}

/** Allows a line break after each slash. */
const Path = ({ path }: { path: string }) =>
  path.split(/(?<=\/)/).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order
    <Fragment key={at}>
      {part}
      <wbr />
    </Fragment>
  ))

/** The end of a failed or refused request: the problem's text, or the code and message of a refusal by this program. */
function Ending({ row }: { row: RequestRow }) {
  const { reason } = useRowTexts()
  const reported = kindOfStatus(row)
  const kind = problemKind.safeParse(reported ?? row.problem?.kind)
  const shown = kind.success ? problemTexts({ kind: kind.data, status: row.status ?? undefined }) : null
  const words = reported && shown ? shown.meaning : reason(row)
  if (words === null) return null
  const bad = row.state === 'failed' || row.state === 'cut' || row.state === 'refused' || reported !== null
  return (
    <Notice kind={bad ? 'bad' : 'info'} className="mt-3" {...(shown ? { title: shown.title } : {})}>
      {words}
      {row.problem && !kind.success && <code className="mt-0.5 block font-mono text-s">{row.problem.kind}</code>}
    </Notice>
  )
}

function TimelinePart({ row }: { row: RequestRow }) {
  const { t } = useTranslation('proxy')
  const now = useNow(200, isOpen(row))
  return (
    <InspectorSection title={t('detail.timeline.title')}>
      <TimelineBars row={row} now={now} />
    </InspectorSection>
  )
}

function Usage({ row }: { row: RequestRow }) {
  const { t } = useTranslation('proxy')
  const tokens = (value: number | null): ReactNode =>
    value === null ? (
      t('detail.usage.notReported')
    ) : (
      <>
        {count(value)} <span className="font-normal text-faint">{t('detail.usage.tokens')}</span>
      </>
    )
  const reported = row.tokensIn !== null || row.tokensOut !== null
  return (
    <InspectorSection title={t('detail.usage.title')}>
      <KeyValue
        rows={[
          { id: 'in', name: t('detail.usage.prompt'), value: tokens(row.tokensIn), quiet: row.tokensIn === null },
          {
            id: 'cached',
            name: t('detail.usage.cached'),
            value: tokens(row.tokensCached),
            quiet: row.tokensCached === null,
          },
          {
            id: 'out',
            name: t(isOpen(row) ? 'detail.usage.replySoFar' : 'detail.usage.reply'),
            value: tokens(row.tokensOut),
            quiet: row.tokensOut === null,
          },
          ...(reported
            ? [{ id: 'are', name: t('detail.usage.certainty'), value: t(`detail.usage.${row.tokensAre}`), quiet: true }]
            : []),
          {
            id: 'cost',
            name: t('detail.usage.cost'),
            value:
              row.cost === null ? (
                t('detail.usage.unknown')
              ) : (
                <span title={inSc(row.cost)}>
                  {showSc(row.cost)} <Sc />{' '}
                  <span className="font-normal text-faint">
                    <WithSc text={t(row.costIs === 'estimated' ? 'detail.usage.est' : `detail.usage.${row.costIs}`)} />
                  </span>
                </span>
              ),
            quiet: row.cost === null,
          },
        ]}
      />
    </InspectorSection>
  )
}
