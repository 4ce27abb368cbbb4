import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppState } from '../../../src-preload/contract/app.ts'
import type { App } from '../../../src-preload/contract/apps.ts'
import { problemOf } from '../../api/problem.ts'
import { showSize } from '../../i18n/format.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { showToast } from '../../shared/toasts.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { ConfirmDialog } from '../../shared/ui/Dialog.tsx'
import { Field, TextInput } from '../../shared/ui/Field.tsx'
import { Form } from '../../shared/ui/Form.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { OriginList } from '../../shared/ui/OriginList.tsx'
import { Select } from '../../shared/ui/Select.tsx'
import { Term } from '../../shared/ui/WithSc.tsx'
import { useCall } from '../../shared/useCall.ts'
import { useApps } from '../../stores/apps.ts'
import { Group, Row, SettingSwitch } from './Group.tsx'
import { type OriginFault, parseDays, parseOrigin } from './parse.ts'
import { SecretRules } from './SecretRules.tsx'
import { WholeNumberField } from './TypedField.tsx'
import { useSave } from './useSave.ts'

/** Rarely changed settings: listening address, metrics, retention of bodies, allowed web pages. */
export function ProxyMore({ app }: { app: AppState }) {
  const { t } = useTranslation('settings')
  const save = useSave()
  const { settings, host } = app
  return (
    <>
      <Group title={t('proxy.access')}>
        <SettingSwitch field="proxyIpv6" label={t('proxy.ipv6')} hint={t('proxy.ipv6Hint')} />
        {/* The desktop application has no address that could serve them. */}
        {host === 'web' && (
          <SettingSwitch
            field="metrics"
            label={t('proxy.metrics')}
            hint={t('proxy.metricsHint', { address: `${location.origin}/metrics` })}
          />
        )}
        <OllamaPort app={app} />
        <Origins origins={settings.proxyOrigins} />
      </Group>
      <Group title={t('proxy.logging')}>
        <WholeNumberField
          label={t('proxy.bodyDays')}
          hint={t(settings.chatBodies ? 'proxy.bodyDaysHintChats' : 'proxy.bodyDaysHint')}
          bad={t('proxy.bodyDaysBad')}
          value={settings.bodyDays}
          parse={parseDays}
          onSave={(bodyDays) => save({ bodyDays })}
        />
        <Bodies />
      </Group>
      <SecretRules beginnings={settings.secretBeginnings} />
    </>
  )
}

const hasBudget = ({ budgetDay, budgetMonth, budgetTotal }: App): boolean =>
  budgetDay !== null || budgetMonth !== null || budgetTotal !== null

/** The app as which requests to Ollama's port count. */
function OllamaPort({ app: { settings, proxy } }: { app: AppState }) {
  const { t } = useTranslation('settings')
  const save = useSave()
  const chosen = settings.ollamaApp
  const apps = (useApps() ?? []).filter((app) => app.id === chosen || (app.revokedAt === null && hasBudget(app)))
  const problem = proxy.ollama?.problem ?? null
  const choices = [
    { value: '', label: t('proxy.ollamaOff') },
    ...apps.map(({ id, name }) => ({ value: id, label: name })),
  ]
  return (
    <>
      <Row name={t('proxy.ollama')} hint={apps.length === 0 ? t('proxy.ollamaNoApp') : t('proxy.ollamaHint')}>
        <Select
          className="max-w-44"
          label={t('proxy.ollama')}
          value={chosen ?? ''}
          choices={choices}
          onPick={(id) => save({ ollamaApp: id === '' ? null : id })}
        />
      </Row>
      {problem && (
        <Notice kind="warn" action={{ label: t('proxy.ollamaRetry'), onClick: () => save({ ollamaApp: chosen }) }}>
          {problem.message}
        </Notice>
      )}
    </>
  )
}

function Origins({ origins }: { origins: readonly string[] }) {
  const { t } = useTranslation('settings')
  const save = useSave()
  const [typed, setTyped] = useState('')
  const [fault, setFault] = useState<OriginFault | null>(null)
  const words = { bad: 'proxy.originBad', known: 'proxy.originAllowed', many: 'proxy.originTooMany' } as const
  const add = () => {
    const read = parseOrigin(typed, origins)
    if ('fault' in read) {
      setFault(read.fault)
      return
    }
    save({ proxyOrigins: [...origins, read.origin] })
    setTyped('')
  }
  return (
    <div className="flex flex-col gap-2">
      <div>
        <div className="font-[520]">{t('proxy.origins')}</div>
        <div className="text-faint text-s">{t('proxy.originsHint')}</div>
      </div>
      {origins.length === 0 ? (
        <p className="text-s text-soft">{t('proxy.originsNone')}</p>
      ) : (
        <OriginList
          origins={origins}
          removeLabel={(origin) => t('proxy.originRemove', { origin })}
          onRemove={(origin) => save({ proxyOrigins: origins.filter((one) => one !== origin) })}
        />
      )}
      <Form className="flex items-start gap-2" onSubmit={add}>
        <div className="min-w-0 flex-1">
          <Field label={t('proxy.originAdd')} quietLabel error={fault && t(words[fault])}>
            <TextInput
              mono
              maxLength={300}
              placeholder={t('proxy.originPlaceholder')}
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value)
                setFault(null)
              }}
            />
          </Field>
        </div>
        <Button type="submit" className="mt-0.5" disabled={typed.trim() === ''}>
          {t('proxy.originAllow')}
        </Button>
      </Form>
    </div>
  )
}

/** The size of stored bodies, with a button that deletes them. */
function Bodies() {
  const { t } = useTranslation(['settings', 'common'])
  const studio = useStudio()
  const [bytes, setBytes] = useState<number | null>(null)
  const [asking, setAsking] = useState(false)
  const { busy, run } = useCall()
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: reads again after each deletion
  useEffect(() => {
    let wanted = true
    studio.requests.counts({ filter: {} }).then(
      ({ bodyBytes }) => wanted && setBytes(bodyBytes),
      () => wanted && setBytes(null),
    )
    return () => {
      wanted = false
    }
  }, [studio, round])
  const say = (text: string) => showToast({ id: 'bodies', text })
  const erase = () =>
    run(() =>
      studio.requests
        .deleteBodies('all')
        .then(
          ({ erased }) => say(t('proxy.deletedBodies', { count: erased })),
          (thrown: unknown) => say(problemOf(thrown).message),
        )
        .finally(() => {
          setAsking(false)
          setRound((count) => count + 1)
        }),
    )
  if (bytes === null) return null
  const bodiesAbout = t('common:terms.loggedBodies')
  return (
    <Row
      name={<Term word={t('proxy.bodies')} about={bodiesAbout} />}
      hint={bytes > 0 ? t('proxy.bodiesHint', { size: showSize(bytes) }) : t('proxy.bodiesNone')}
    >
      {bytes > 0 && (
        <Button variant="danger" onClick={() => setAsking(true)}>
          {t('proxy.deleteBodies')}
        </Button>
      )}
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t('proxy.deleteTitle')}
        about={t('proxy.deleteAbout')}
        confirm={t('proxy.deleteBodies')}
        busy={busy}
        onConfirm={erase}
      />
    </Row>
  )
}
