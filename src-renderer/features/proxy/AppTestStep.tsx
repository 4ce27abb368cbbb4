import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { App } from '../../../src-preload/contract/apps.ts'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { KeyValue } from '../../shared/ui/KeyValue.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { Pill } from '../../shared/ui/Pill.tsx'
import { plainText } from '../../shared/ui/plainText.ts'
import { Spinner } from '../../shared/ui/Spinner.tsx'
import { useNow } from '../../shared/useNow.ts'
import { type AppTest, appTestStore, isWaiting, useAppTest } from '../../stores/appTest.ts'
import { outcomeOf } from '../../stores/requests.ts'
import { filterBy, inspectRow, say } from './actions.ts'
import { Time } from './appearance.tsx'
import { startAppTest, stopAppTest } from './appTest.ts'
import { useRowTexts } from './rowMessages.ts'

/**
 * Waits for the first request of an app and shows it. The wait continues after the dialog is closed, and then ends with a toast.
 * @param since the instant from which requests count: the creation of a new app. Null: now
 */
export function AppTestStep({ app, since, onClose }: { app: App; since: string | null; onClose: () => void }) {
  const { t } = useTranslation(['proxy', 'common'])
  const studio = useStudio()
  const test = useAppTest(app.id)
  const { id, name } = app
  const start = (from: string) =>
    startAppTest(studio, { id, name }, from, () => {
      if (shownFor !== id) say('test', t('test.arrived', { name }))
    })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the test starts once, when the step appears for this app
  useEffect(() => {
    shownFor = id
    const { test: before } = appTestStore.getState()
    if (before?.app.id !== id || !isWaiting(before)) start(since ?? new Date().toISOString())
    return () => {
      shownFor = null
    }
  }, [id])
  if (!test) return null
  // Until a request arrives, the wait is all that the step shows.
  const isEmpty = isWaiting(test) && !test.row && !test.stranger
  return (
    <div className={cx('flex flex-col gap-4', isEmpty && 'flex-1 items-center justify-center text-center')}>
      <div role="status" className="flex flex-col gap-3">
        <Progress test={test} />
      </div>
      {test.row && <Arrived row={test.row} />}
      {!test.row && test.stranger && <RefusedStranger row={test.stranger} />}
      <div className="flex flex-wrap gap-2">
        {isWaiting(test) ? (
          <Button onClick={stopAppTest}>{t('test.cancel')}</Button>
        ) : (
          <Button onClick={() => start(new Date().toISOString())}>{t('test.again')}</Button>
        )}
        {test.row && (
          <Button
            onClick={() => {
              onClose()
              filterBy({ who: id })
              if (test.row) inspectRow(test.row.id)
            }}
          >
            {t('test.showInLog')}
          </Button>
        )}
      </div>
    </div>
  )
}

/** The id of the app whose test is visible. The end of a visible test needs no toast. */
let shownFor: string | null = null

function Progress({ test }: { test: AppTest }) {
  const { t } = useTranslation(['proxy', 'common'])
  const { name } = test.app
  if (test.state === 'stopped') return <p className="text-soft">{t('test.stopped')}</p>
  if (isWaiting(test))
    return (
      <p className="flex items-center gap-2">
        <Spinner />
        {t(test.state === 'running' ? 'test.running' : 'test.waiting', { name })}
      </p>
    )
  const isOk = test.row !== null && outcomeOf(test.row) === 'ok'
  if (isOk) return <Notice kind="good">{t('test.works', { name })}</Notice>
  return (
    <Notice kind="bad" title={t('test.failed', { name })}>
      {test.row?.problem ? plainText(test.row.problem.message) : null}
    </Notice>
  )
}

function Arrived({ row }: { row: RequestRow }) {
  const { t } = useTranslation(['proxy', 'common'])
  const { status } = useRowTexts()
  const now = useNow(30_000)
  const { words, tone } = status(row)
  return (
    <KeyValue
      rows={[
        { id: 'at', name: t('detail.at'), value: <Time at={row.at} now={now} /> },
        { id: 'endpoint', name: t('detail.endpoint'), value: t(`common:endpoints.${row.endpoint}`) },
        { id: 'model', name: t('detail.model'), value: row.model ?? t('detail.noModel'), quiet: row.model === null },
        { id: 'result', name: t('log.columns.result'), value: <Pill tone={tone}>{words}</Pill> },
      ]}
    />
  )
}

/** A request without a valid key. It may come from this app with a mistyped key. */
function RefusedStranger({ row }: { row: RequestRow }) {
  const { t } = useTranslation(['proxy', 'common'])
  const now = useNow(30_000)
  const from = row.who.kind === 'stranger' ? row.who.from : ''
  return (
    <Notice kind="warn" title={t('test.stranger', { from })}>
      <Time at={row.at} now={now} /> {row.problem && plainText(row.problem.message)}
    </Notice>
  )
}
