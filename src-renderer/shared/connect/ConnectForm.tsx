import { type ReactNode, useEffect, useReducer, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SavedProfile } from '../../../src-preload/contract/app.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { problemOf } from '../../api/problem.ts'
import { sealKey } from '../../api/seal.ts'
import { asSentence, joinFacts, joinSentences } from '../../i18n/format.ts'
import { useApp } from '../../stores/app.ts'
import { detailsOf, messageBeside, serviceMessage } from '../errors/details.ts'
import { problemTexts } from '../errors/texts.ts'
import { useStudio } from '../studioContext.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox, Field, PasswordInput, TextInput } from '../ui/Field.tsx'
import { Form } from '../ui/Form.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { nameOfAddress, normalizeAddress } from './address.ts'
import {
  type ConnectForm as ConnectFormState,
  canAsk,
  connectReducer,
  explain,
  type FailedField,
  firstForm,
  type TestResult,
} from './form.ts'

/**
 * Base address, key and key storage, with Test and Connect. The page encrypts the key before sending it. The key stays in its field until
 * the form is closed, so that an error does not require entering the key again.
 */
export function ConnectForm({
  profile,
  named = false,
  takesFocus = false,
  onConnected,
  onCancel,
  aside,
}: {
  /** The connection to edit. Absent: a new connection is added. */
  profile?: Pick<SavedProfile, 'id' | 'baseUrl' | 'allowInsecure' | 'keyKept'>
  /** Whether to ask for a name. */
  named?: boolean
  /** Whether the address field takes the focus when the form appears. A dialog does that itself. */
  takesFocus?: boolean
  onConnected: () => void
  /** For a form in a dialog: closes it. */
  onCancel?: () => void
  aside?: ReactNode
}) {
  const { t } = useTranslation(['connect', 'common'])
  const studio = useStudio()
  const keychain = useApp(({ app }) => app?.keychain)
  const profiles = useApp(({ app }) => app?.profiles)
  const [form, send] = useReducer(connectReducer, firstForm(profile, keychain?.available ?? false))
  /** Null until the person types a name. Until then, the address determines the name. */
  const [typedName, setTypedName] = useState<string | null>(null)
  const [isNameTaken, setNameTaken] = useState(false)
  const addressInput = useRef<HTMLInputElement>(null)
  const keyInput = useRef<HTMLInputElement>(null)
  const nameInput = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (takesFocus) addressInput.current?.focus()
  }, [takesFocus])
  const names = profiles?.map((one) => one.name) ?? []
  const name = (typedName ?? nameOfAddress(form.baseUrl, names)).trim()
  const keyStorage = keychain?.available ? form.keyStorage : 'session'
  const address = normalizeAddress(form.baseUrl)
  const typedKey = (): string => keyInput.current?.value.trim() ?? ''

  const sealedKey = async () => {
    const key = typedKey()
    if (key === '') return null
    return sealKey((await studio.connection.sealingKey()).publicKey, key)
  }
  const ask = async (phase: 'testing' | 'connecting') => {
    if (phase === 'connecting' && named && names.some((one) => one.toLowerCase() === name.toLowerCase())) {
      setNameTaken(true)
      nameInput.current?.focus()
      return
    }
    if (!('url' in address)) return
    send({ type: 'normalize' })
    send({ type: 'ask', phase })
    try {
      const target = { baseUrl: address.url, key: await sealedKey(), allowInsecure: form.allowInsecure }
      if (phase === 'testing') send({ type: 'works', tested: await studio.connection.test(target) })
      else {
        await studio.connection.connect({
          ...target,
          keyStorage,
          // A changed connection keeps its name.
          ...(!profile && name !== '' && { name }),
          ...(profile && { id: profile.id }),
        })
        onConnected()
      }
    } catch (thrown) {
      const problem = problemOf(thrown)
      send({ type: 'failed', problem })
      const inputs: Record<FailedField, HTMLInputElement | null> = {
        address: addressInput.current,
        key: keyInput.current,
        storage: null,
      }
      inputs[explain(problem, typedKey() !== '').field]?.focus()
    }
  }
  const problemAt = (field: FailedField): ReactNode =>
    form.problem && explain(form.problem, typedKey() !== '').field === field ? (
      <ConnectProblem problem={form.problem} hasKey={typedKey() !== ''} />
    ) : null
  const faults = { bad: t('baseUrlBad'), credentials: t('baseUrlCredentials'), empty: null }

  return (
    <Form
      className="flex flex-col gap-4"
      onSubmit={() => {
        if (canAsk(form)) void ask('connecting')
      }}
    >
      <Field
        label={t('baseUrl')}
        hint={
          form.changes.length > 0 ? (
            <span role="status">
              {joinSentences(form.changes.map(({ kind, text }) => t(`changed.${kind}`, { text })))}
            </span>
          ) : (
            t('baseUrlHint')
          )
        }
        error={'fault' in address ? faults[address.fault] : problemAt('address')}
      >
        <TextInput
          ref={addressInput}
          mono
          inputMode="url"
          autoCapitalize="off"
          placeholder="https://api.example.com/v1"
          value={form.baseUrl}
          onChange={(event) => send({ type: 'address', baseUrl: event.target.value })}
          onBlur={() => send({ type: 'normalize' })}
        />
      </Field>
      {'url' in address && address.isInsecure && (
        <Insecure checked={form.allowInsecure} onChange={(allowInsecure) => send({ type: 'insist', allowInsecure })} />
      )}
      {named && (
        <Field label={t('name')} error={isNameTaken ? t('nameTaken', { name }) : null}>
          <TextInput
            ref={nameInput}
            maxLength={80}
            placeholder={t('namePlaceholder')}
            value={typedName ?? name}
            onChange={(event) => {
              setTypedName(event.target.value === '' ? null : event.target.value)
              setNameTaken(false)
            }}
          />
        </Field>
      )}
      <Field label={t('key')} hint={t('keyHint')} error={problemAt('key')}>
        <PasswordInput
          ref={keyInput}
          data-first={profile?.keyKept === 'none' || undefined}
          showLabel={t('common:showKey')}
          hideLabel={t('common:hideKey')}
          onChange={() => send({ type: 'key' })}
        />
      </Field>
      <KeyStorage
        value={keyStorage}
        onChange={(value) => send({ type: 'keyStorage', keyStorage: value })}
        problem={problemAt('storage')}
      />
      {form.tested && <Works tested={form.tested} />}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <div className="me-auto">{aside}</div>
        {onCancel && <Button onClick={onCancel}>{t('common:cancel')}</Button>}
        <Button busy={form.phase === 'testing'} disabled={!canAsk(form)} onClick={() => void ask('testing')}>
          {form.phase === 'testing' ? t('testing') : t('test')}
        </Button>
        <Button variant="primary" type="submit" busy={form.phase === 'connecting'} disabled={!canAsk(form)}>
          {form.phase === 'connecting' ? t('connecting') : t('connect')}
        </Button>
      </div>
    </Form>
  )
}

/** Asks for consent before a key is sent over plain http. */
function Insecure(props: { checked: boolean; onChange: (checked: boolean) => void }) {
  const { t } = useTranslation('connect')
  return (
    <Notice kind="warn">
      {t('insecureWhy')}
      <div className="mt-2">
        <Checkbox
          label={t('insecure')}
          checked={props.checked}
          onChange={(event) => props.onChange(event.target.checked)}
        />
      </div>
    </Notice>
  )
}

type Storage = ConnectFormState['keyStorage']

function KeyStorage(props: { value: Storage; onChange: (value: Storage) => void; problem: ReactNode }) {
  const { t } = useTranslation('connect')
  const keychain = useApp(({ app }) => app?.keychain)
  const keyFile = keychain?.keyFile
  return (
    <div className="flex flex-col gap-1.5">
      <span className="font-[540] text-s">{t('keyStorage')}</span>
      <Segmented
        label={t('keyStorage')}
        value={props.value}
        onChange={props.onChange}
        segments={[
          { value: 'keychain', label: t(keyFile ? 'saveInKeyFile' : 'saveInKeychain'), disabled: !keychain?.available },
          { value: 'session', label: t('saveForSession') },
        ]}
      />
      {props.problem ? (
        <div className="text-bad text-s">{props.problem}</div>
      ) : (
        <span className="text-faint text-s">
          {keychain && !keychain.available
            ? t('noKeychain', { reason: asSentence(keychain.reason ?? t('noKeychainReason')) })
            : props.value === 'keychain' && keyFile
              ? t('saveInKeyFileHint', { path: keyFile.path })
              : t(props.value === 'keychain' ? 'saveInKeychainHint' : 'saveForSessionHint')}
        </span>
      )}
    </div>
  )
}

function Works({ tested: { models, baseUrl, keyName, keyPrefix } }: { tested: TestResult }) {
  const { t } = useTranslation('connect')
  const key = joinFacts([keyName, keyPrefix])
  return (
    <Notice kind="good" title={t('works')} role="status">
      {joinSentences([t('worksModels', { count: models, baseUrl }), key && t('worksKey', { key })])}
    </Notice>
  )
}

/** Why a connection failed, as an explanation for the field to correct, with the service's own message. */
function ConnectProblem({ problem, hasKey }: { problem: Problem; hasKey: boolean }) {
  const { t } = useTranslation(['connect', 'problems', 'common'])
  const { cause } = explain(problem, hasKey)
  const title = problemTexts(problem).title
  const words = cause
    ? t(`cause.${cause}`, { code: problem.fault ?? '' })
    : // The core's message about an input, such as a key with spaces, is more specific than the text of the kind.
      (messageBeside(problem, [title]) ?? `${title}.`)
  const said = serviceMessage(problem)
  return (
    <>
      <span role="alert">
        {joinSentences([words, said !== null && said !== words && t('problems:said', { message: said })])}
      </span>
      <details className="mt-1 text-soft">
        <summary className="w-fit rounded-s font-[520]">{t('common:details')}</summary>
        <pre className="mt-1 max-h-40 overflow-auto whitespace-pre-wrap break-words rounded-s bg-hover p-2 font-mono text-ink text-s select-text">
          {detailsOf(problem)}
        </pre>
      </details>
    </>
  )
}
