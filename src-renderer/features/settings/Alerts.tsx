import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AlertSettings } from '../../../src-preload/contract/alerts.ts'
import { problemOf } from '../../api/problem.ts'
import {
  type BrowserNotices,
  browserNotices,
  showBrowserNotice,
  switchBrowserNotices,
} from '../../shared/alerts/browserNotifications.ts'
import { navigate } from '../../shared/navigation.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { showToast } from '../../shared/toasts.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { plainText } from '../../shared/ui/plainText.ts'
import { Switch } from '../../shared/ui/Switch.tsx'
import { useAlerts } from '../../stores/alerts.ts'
import { Group, Row } from './Group.tsx'
import { parseAmount, parseShare } from './parse.ts'
import { TypedField, WholeNumberField } from './TypedField.tsx'

const say = (text: string): void => showToast({ id: 'settings', text })

/** The alert thresholds, and the additional places where alerts appear, besides the list in the window. */
export function AlertsSection() {
  const { t } = useTranslation('alerts')
  const settings = useAlerts((store) => store.settings)
  const notifies = useAlerts((store) => store.notifies)
  const save = useSaveLines()
  if (!settings) return null
  const row = (name: 'budgets' | 'key' | 'ban' | 'cache') => (
    <Row name={t(`settings.${name}`)} hint={t(`settings.${name}Hint`)}>
      <Switch label={t(`settings.${name}`)} checked={settings[name]} onChange={(on) => save({ [name]: on })} />
    </Row>
  )
  return (
    <>
      <Group>
        <div className="grid gap-4 @min-[440px]:grid-cols-2">
          <Amount of="balance" value={settings.balanceBelow} onSave={(balanceBelow) => save({ balanceBelow })} />
          <Amount of="spend" value={settings.spendAbove} onSave={(spendAbove) => save({ spendAbove })} />
        </div>
      </Group>
      <Group>
        {row('budgets')}
        {settings.budgets && <Share value={settings.budgetAt} onSave={(budgetAt) => save({ budgetAt })} />}
        {row('key')}
        {row('ban')}
        {row('cache')}
      </Group>
      <Group>{notifies ? <SystemNotices settings={settings} onSave={save} /> : <OfBrowser />}</Group>
    </>
  )
}

/** Saves immediately. The list updates through its subscription. */
function useSaveLines(): (changes: Partial<AlertSettings>) => void {
  const studio = useStudio()
  const { t } = useTranslation('alerts')
  return (changes) => {
    studio.alerts.update(changes).catch((thrown: unknown) => say(t('failed', { message: problemOf(thrown).message })))
  }
}

/** An optional amount of SC. */
function Amount(props: { of: 'balance' | 'spend'; value: string | null; onSave: (value: string | null) => void }) {
  const { t } = useTranslation('alerts')
  return (
    <TypedField
      label={t(`settings.${props.of}`)}
      hint={t(`settings.${props.of}Hint`)}
      bad={t('settings.amountBad')}
      value={props.value}
      read={parseAmount}
      onSave={props.onSave}
      inputMode="decimal"
      className="max-w-32"
      unit={t('settings.unit')}
    />
  )
}

function Share({ value, onSave }: { value: number; onSave: (value: number) => void }) {
  const { t } = useTranslation('alerts')
  return (
    <WholeNumberField
      label={t('settings.budgetAt')}
      hint={t('settings.budgetAtHint')}
      bad={t('settings.budgetAtBad')}
      value={value}
      parse={parseShare}
      onSave={onSave}
    />
  )
}

/** System notifications by the desktop application. */
function SystemNotices({
  settings,
  onSave,
}: {
  settings: AlertSettings
  onSave: (changes: Partial<AlertSettings>) => void
}) {
  const { t } = useTranslation('alerts')
  const studio = useStudio()
  const [failure, setFailure] = useState<string | null>(null)
  const tryIt = (): void => {
    setFailure(null)
    studio.alerts.testNotification().then(
      ({ shown, reason }) => shown || setFailure(reason ?? ''),
      (thrown: unknown) => say(t('failed', { message: problemOf(thrown).message })),
    )
  }
  const failed = failure !== null && (
    <span role="alert" className="text-bad">
      {t('settings.notifyFailed', { reason: plainText(failure) })}
    </span>
  )
  return (
    <Row name={t('settings.notify')} hint={failed || t('settings.notifyHint')}>
      <Button size="small" onClick={tryIt}>
        {t('settings.try')}
      </Button>
      <Switch label={t('settings.notify')} checked={settings.notify} onChange={(notify) => onSave({ notify })} />
    </Row>
  )
}

/** Notifications by this browser, which asks the person for permission. */
function OfBrowser() {
  const { t } = useTranslation('alerts')
  const [state, setState] = useState<BrowserNotices>(browserNotices)
  const hints = { missing: 'browserMissing', denied: 'browserDenied', on: 'browserHint', off: 'browserHint' } as const
  const tryIt = (): void => {
    const goThere = (): void => navigate({ page: 'settings', id: 'alerts' })
    if (!showBrowserNotice(t('title'), t('settings.tried'), 'alerts.try', goThere)) say(t('settings.notShown'))
  }
  return (
    <Row name={t('settings.browser')} hint={t(`settings.${hints[state]}`)}>
      {state === 'on' && (
        <Button size="small" onClick={tryIt}>
          {t('settings.try')}
        </Button>
      )}
      <Switch
        label={t('settings.browser')}
        checked={state === 'on'}
        disabled={state === 'denied' || state === 'missing'}
        onChange={(on) => void switchBrowserNotices(on).then(setState)}
      />
    </Row>
  )
}
