import '../../shared/chart/figures.css'
import './usage.css'
import { Download, FileJson, FileSpreadsheet, Image, Printer, RefreshCw, Table2 } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { sandboxAddress } from '../../../src-preload/contract/usage.ts'
import { joinFacts, showCalendarDate, showInstant } from '../../i18n/format.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { Menu, MenuItem, MenuLine } from '../../shared/ui/Menu.tsx'
import { Pill } from '../../shared/ui/Pill.tsx'
import { RelativeTime } from '../../shared/ui/RelativeTime.tsx'
import { StageBar } from '../../shared/ui/StageBar.tsx'
import { useCall } from '../../shared/useCall.ts'
import { useRoute } from '../../stores/route.ts'
import { type Section, selectedAccount, useUsage } from '../../stores/usage.ts'
import { print, printedText, refresh, saveChart, saveTable, sectionOf, sessionIn } from './actions.ts'
import { Corrections } from './Corrections.tsx'
import { LimitsSection } from './Limits.tsx'
import { NoAccount, Overview } from './Overview.tsx'
import { RemoteUsage } from './RemoteUsage.tsx'
import { SessionsSection } from './Sessions.tsx'
import { startUsage } from './subscriptions.ts'

export function UsageStage() {
  const studio = useStudio()
  const { id } = useRoute()
  const section = sectionOf(id)
  const empty = useUsage((store) => store.accounts?.length === 0)
  useEffect(() => startUsage(studio), [studio])
  useEffect(followPrinting, [])
  return (
    <>
      <Bar section={section} />
      <div key={section} className="usage-scroll">
        <PrintHead section={section} />
        {empty && section !== 'sessions' ? (
          <div className="flex min-h-full">
            <NoAccount />
          </div>
        ) : (
          <>
            {section === 'overview' && <Overview />}
            {section === 'sessions' && <SessionsSection open={sessionIn(id)} />}
            {section === 'elsewhere' && <RemoteUsage />}
            {section === 'limits' && <LimitsSection />}
            {section === 'corrections' && <Corrections />}
          </>
        )}
      </div>
    </>
  )
}

/** Whether a section shows figures of the account, by day. */
const hasDates = (section: Section): boolean => section !== 'limits' && section !== 'sessions'

/** Switches to the print colours before the chart's own print listeners draw. Also works for the browser's print menu. */
function followPrinting(): () => void {
  let over: (() => void) | null = null
  const begins = (): void => {
    over ??= printedText()
  }
  const ends = (): void => {
    over?.()
    over = null
  }
  window.addEventListener('beforeprint', begins, { capture: true })
  window.addEventListener('afterprint', ends, { capture: true })
  return () => {
    window.removeEventListener('beforeprint', begins, { capture: true })
    window.removeEventListener('afterprint', ends, { capture: true })
    ends()
  }
}

/** Printed only: account, days and date of the figures. */
function PrintHead({ section }: { section: Section }) {
  const { t } = useTranslation(['usage', 'chart'])
  const account = useUsage(selectedAccount)
  const query = useUsage((store) => store.answer?.view.query ?? null)
  if (!account) return null
  const dated = query && hasDates(section)
  return (
    <div className="usage-print-head" aria-hidden>
      <h1>{section === 'overview' ? t('title') : t(`sections.${section}`)}</h1>
      <p dir="auto">
        {joinFacts([account.name, account.baseUrl === sandboxAddress ? t('accounts.onThisComputer') : account.baseUrl])}
      </p>
      <p>
        {joinFacts([
          dated && t('chart:fromTo', { from: showCalendarDate(query.from), to: showCalendarDate(query.to) }),
          dated && t(`chart.source.${query.source}`),
          account.asOf ? t('updatedAt', { at: showInstant(account.asOf) }) : t('neverFetched'),
        ])}
      </p>
    </div>
  )
}

function Bar({ section }: { section: Section }) {
  const { t } = useTranslation('usage')
  const account = useUsage(selectedAccount)
  const answered = useUsage((store) => store.answer !== null)
  const { busy, run } = useCall()
  return (
    <StageBar
      title={section === 'overview' ? t('title') : t(`sections.${section}`)}
      beside={
        account &&
        hasDates(section) && (
          <span className="num flex min-w-0 items-center gap-2">
            {account.fetching ? (
              <Pill tone="muted">{t('fetching')}</Pill>
            ) : (
              <Pill tone="muted">
                {account.asOf ? <RelativeTime at={account.asOf} did="updated" /> : t('neverFetched')}
              </Pill>
            )}
          </span>
        )
      }
      actions={
        hasDates(section) && (
          <>
            {account?.active && (
              <IconButton
                icon={RefreshCw}
                label={t('refresh')}
                disabled={busy || account.fetching}
                onClick={() => run(refresh)}
              />
            )}
            {section === 'overview' && answered && <Saving />}
          </>
        )
      }
    />
  )
}

function Saving() {
  const { t } = useTranslation('usage')
  return (
    <Menu trigger={<Button icon={Download}>{t('save')}</Button>}>
      <MenuItem icon={FileSpreadsheet} label={t('saveCsv')} onSelect={() => void saveTable('csv')} />
      <MenuItem icon={FileJson} label={t('saveJson')} onSelect={() => void saveTable('json')} />
      <MenuItem icon={Table2} label={t('saveParquet')} onSelect={() => void saveTable('parquet')} />
      <MenuLine />
      <MenuItem icon={Image} label={t('savePng')} onSelect={() => void saveChart('png')} />
      <MenuItem icon={Image} label={t('saveSvg')} onSelect={() => void saveChart('svg')} />
      <MenuLine />
      <MenuItem icon={Printer} label={t('print')} onSelect={print} />
    </Menu>
  )
}
