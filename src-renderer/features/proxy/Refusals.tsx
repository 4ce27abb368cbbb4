import { ChevronRight, ListFilter, ShieldBan } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppState } from '../../../src-preload/contract/app.ts'
import type { ShownRefusal } from '../../../src-preload/contract/requests.ts'
import type { Client } from '../../api/connect.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Card } from '../../shared/ui/Card.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { Notice } from '../../shared/ui/Notice.tsx'
import { OriginList } from '../../shared/ui/OriginList.tsx'
import { Pill } from '../../shared/ui/Pill.tsx'
import { useNow } from '../../shared/useNow.ts'
import { appStore } from '../../stores/app.ts'
import { Confirmed } from './AppActions.tsx'
import { attempt, filterBy } from './actions.ts'
import { Time } from './appearance.tsx'
import { count, showTime } from './figures.ts'

const maxOrigins = 50

/** Refused requests of callers without a valid app key since start, with the reason, and the allowed web pages. Empty when there are none. */
export function Refusals({ proxy, settings }: Pick<AppState, 'proxy' | 'settings'>) {
  const { t } = useTranslation('proxy')
  const now = useNow(30_000)
  const [open, setOpen] = useState(false)
  const [asked, setAsked] = useState<string | null>(null)
  const { refusals } = proxy
  const { proxyOrigins } = settings
  if (refusals.length === 0 && proxyOrigins.length === 0) return null
  const [latest] = refusals
  const { count: times, since } = proxy.refusedUnknown
  return (
    <Card>
      <section aria-label={t('refusals.title')}>
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-h-9 w-full items-center gap-2 rounded-l px-3.5 py-1.5 text-start text-s hover:bg-hover"
        >
          <ChevronRight
            aria-hidden
            size={14}
            className={cx('shrink-0 transition-transform duration-100', open ? 'rotate-90' : 'rtl:rotate-180')}
          />
          <ShieldBan aria-hidden size={15} strokeWidth={1.75} className="shrink-0 text-soft" />
          <span className="shrink-0 font-[560]">{t('refusals.title')}</span>
          {times > 0 && <Pill tone="bad">{count(times)}</Pill>}
          <span className="num min-w-0 truncate text-soft">
            {latest
              ? t('refusals.latest', { from: latest.from, count: latest.times, at: showTime(latest.lastAt, now) })
              : t('refusals.none')}
          </span>
        </button>
        {open && (
          <>
            {refusals.length > 0 && (
              <div className="px-3.5 py-2.5">
                <Button
                  size="small"
                  icon={ListFilter}
                  onClick={() => filterBy({ who: 'strangers', outcome: 'refused', ...(since !== null && { since }) })}
                >
                  {t('refusals.showInLog')}
                </Button>
              </div>
            )}
            {refusals.length > 0 && <Table refusals={refusals} allowed={proxyOrigins} now={now} onAllow={setAsked} />}
            <Origins origins={proxyOrigins} />
          </>
        )}
      </section>
      <Allow origin={asked} onClose={() => setAsked(null)} />
    </Card>
  )
}

function Table(props: {
  refusals: readonly ShownRefusal[]
  allowed: readonly string[]
  now: number
  onAllow: (origin: string) => void
}) {
  const { t } = useTranslation('proxy')
  const { now } = props
  const head = 'whitespace-nowrap border-line border-b px-3.5 py-1.5 text-start font-[520]'
  const cell = 'border-line border-b px-3.5 py-1.5 align-top'
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
    <section tabIndex={0} aria-label={t('refusals.list')} className="max-h-72 overflow-auto border-line border-t">
      <table className="num w-full text-s">
        <thead>
          <tr className="text-start text-soft">
            <th scope="col" className={head}>
              {t('refusals.reason')}
            </th>
            <th scope="col" className={cx(head, 'text-end!')}>
              {t('refusals.times')}
            </th>
            <th scope="col" className={head}>
              {t('refusals.latestTime')}
            </th>
            <th scope="col" className={cx(head, 'max-[560px]:hidden')}>
              <span className="sr-only">{t('refusals.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {props.refusals.map((one) => (
            <tr key={`${one.code} ${one.from}`}>
              <td className={cell}>
                <div className="break-words font-[540] first-letter:uppercase">{one.from}</div>
                <div className="break-words text-soft first-letter:uppercase">{withoutCaller(one)}</div>
                <div className="mt-1 empty:hidden min-[561px]:hidden">
                  <AllowCell origin={one.origin} allowed={props.allowed} onAllow={props.onAllow} />
                </div>
              </td>
              <td className={cx(cell, 'text-end')}>{count(one.times)}</td>
              <td className={cx(cell, 'whitespace-nowrap')}>
                <Time at={one.lastAt} now={now} />
                {one.times > 1 && (
                  <div className="text-faint">{t('refusals.since', { at: showTime(one.firstAt, now) })}</div>
                )}
              </td>
              <td className={cx(cell, 'text-end max-[560px]:hidden')}>
                <AllowCell origin={one.origin} allowed={props.allowed} onAllow={props.onAllow} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The reason without the caller at its beginning, who is on the line above. */
const withoutCaller = ({ message, from }: ShownRefusal): string =>
  message.startsWith(from) ? message.slice(from.length).trim() : message

function AllowCell(props: { origin: string | null; allowed: readonly string[]; onAllow: (origin: string) => void }) {
  const { t } = useTranslation('proxy')
  const { origin } = props
  if (origin === null) return null
  if (props.allowed.includes(origin)) return <Pill tone="good">{t('refusals.allowed')}</Pill>
  return (
    <Button size="small" onClick={() => props.onAllow(origin)}>
      {t('refusals.allow')}
    </Button>
  )
}

const originsNow = (): string[] => appStore.getState().app?.settings.proxyOrigins ?? []

function Allow({ origin, onClose }: { origin: string | null; onClose: () => void }) {
  const { t } = useTranslation('proxy')
  const allow = async (client: Client) => {
    if (origin === null) return
    await client.app.updateSettings({ proxyOrigins: [...new Set([...originsNow(), origin])] })
  }
  return (
    <Confirmed
      open={origin !== null}
      title={t('refusals.allowTitle', { origin: origin ?? '' })}
      about={
        <>
          {t('refusals.allowAbout')}
          {originsNow().length >= maxOrigins && (
            <Notice kind="warn" className="mt-3">
              {t('refusals.tooMany')}
            </Notice>
          )}
        </>
      }
      confirm={t('refusals.allowConfirm')}
      ask={allow}
      onClose={onClose}
    />
  )
}

function Origins({ origins }: { origins: readonly string[] }) {
  const { t } = useTranslation('proxy')
  const remove = (origin: string) =>
    void attempt((client) => client.app.updateSettings({ proxyOrigins: originsNow().filter((one) => one !== origin) }))
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5 border-line border-t px-3.5 py-2.5 text-s">
      <span className="font-[540]">{t('refusals.origins')}</span>
      {origins.length === 0 && <span className="text-soft">{t('refusals.originsNone')}</span>}
      <OriginList origins={origins} removeLabel={(origin) => t('refusals.remove', { origin })} onRemove={remove} />
    </div>
  )
}
