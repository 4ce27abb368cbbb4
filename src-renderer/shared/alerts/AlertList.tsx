import { BellOff, CircleAlert, CircleCheck, Settings2, TriangleAlert, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Alert } from '../../../src-preload/contract/alerts.ts'
import { problemOf } from '../../api/problem.ts'
import { showDay, showFull } from '../../i18n/format.ts'
import { isGrave, useAlerts } from '../../stores/alerts.ts'
import { navigate } from '../navigation.ts'
import { useStudio } from '../studioContext.ts'
import { showToast } from '../toasts.ts'
import { Button, IconButton } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { WithSc } from '../ui/WithSc.tsx'
import { alertOf, alertTexts, linkText } from './messages.ts'

/** Alerts that are not dismissed, newest first. Ended alerts are at the end, dimmed. */
export function AlertList({ onGone }: { onGone: () => void }) {
  const { t } = useTranslation('alerts')
  const dismiss = useDismiss()
  const alerts = useAlerts((store) => store.alerts) ?? []
  const sorted = [...alerts.filter(({ endedAt }) => endedAt === null), ...alerts.filter(({ endedAt }) => endedAt)]
  const go = (place: Alert['place']): void => {
    onGone()
    navigate(place)
  }
  return (
    <>
      <div className="flex items-center gap-1 border-line border-b py-1.5 ps-3.5 pe-1.5">
        <h2 className="me-auto font-semibold">{t('title')}</h2>
        {alerts.length > 0 && (
          <Button variant="plain" size="small" onClick={() => dismiss({})}>
            {t('dismissAll')}
          </Button>
        )}
        <IconButton
          icon={Settings2}
          size="small"
          label={t('setUp')}
          onClick={() => go({ page: 'settings', id: 'alerts' })}
        />
      </div>
      {sorted.length === 0 ? (
        <div className="flex flex-col items-center gap-1 px-6 py-8 text-center">
          <BellOff aria-hidden size={20} strokeWidth={1.5} className="text-faint" />
          <p className="font-[540]">{t('empty')}</p>
          <p className="text-s text-soft">{t('emptyAbout')}</p>
        </div>
      ) : (
        <ul aria-label={t('title')} className="min-h-0 overflow-y-auto">
          {sorted.map((alert) => (
            <Line
              key={alert.id}
              alert={alert}
              onGo={() => go(alert.place)}
              onDismiss={() => dismiss({ id: alert.id })}
            />
          ))}
        </ul>
      )}
    </>
  )
}

function Line({ alert, onGo, onDismiss }: { alert: Alert; onGo: () => void; onDismiss: () => void }) {
  const { t } = useTranslation('alerts')
  const { facts, at, endedAt, place } = alert
  const { title, body } = alertTexts(facts)
  const over = endedAt !== null
  const Icon = over ? CircleCheck : isGrave(alert) ? CircleAlert : TriangleAlert
  const tone = over ? 'text-faint' : isGrave(alert) ? 'text-bad' : 'text-warn'
  return (
    <li className="flex gap-2.5 border-line border-b py-2.5 ps-3.5 pe-1.5 last:border-b-0">
      <Icon aria-hidden size={16} strokeWidth={1.75} className={cx('mt-0.5 shrink-0', tone)} />
      <div className="min-w-0 flex-1 text-s">
        <h3 className={cx('break-words font-[560]', over && 'text-soft')}>{title}</h3>
        <p className="num break-words text-soft">
          <WithSc text={body} />
        </p>
        <div className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-faint text-s">
          <time dateTime={at} title={showFull(at)} className="num">
            {showDay(at)}
          </time>
          {over && <span className="num">{t('ended', { at: showDay(endedAt) })}</span>}
          {alertOf(facts).map((name) => (
            <span key={name} dir="auto" className="min-w-0 max-w-40 truncate">
              {name}
            </span>
          ))}
          <Button size="small" className="ms-auto" onClick={onGo}>
            {linkText(place)}
          </Button>
        </div>
      </div>
      <IconButton icon={X} size="small" label={t('dismiss', { title })} onClick={onDismiss} />
    </li>
  )
}

/** Dismisses one alert or all. The list updates through its subscription. A failure shows a toast. */
function useDismiss(): (which: { id?: string }) => void {
  const studio = useStudio()
  const { t } = useTranslation('alerts')
  return (which) => {
    studio.alerts.dismiss(which).catch((thrown: unknown) => {
      const text = t('failed', { message: problemOf(thrown).message })
      showToast({ id: 'alerts', text })
    })
  }
}
