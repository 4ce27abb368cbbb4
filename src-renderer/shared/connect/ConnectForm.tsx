import { type ReactNode, useReducer, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SavedProfile } from '../../../src-preload/contract/app.ts'
import type { SealedKey } from '../../../src-preload/contract/connection.ts'
import { problemOf } from '../../api/problem.ts'
import { sealKey } from '../../api/seal.ts'
import { asSentence } from '../../i18n/format.ts'
import { useApp } from '../../stores/app.ts'
import { ProblemNotice } from '../errors/ProblemNotice.tsx'
import { useStudio } from '../studioContext.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox, Field, PasswordInput, TextInput } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { judgeAddress } from './address.ts'
import { canAsk, connectReducer, firstForm } from './form.ts'

/**
 * Base address, key and key storage, with Test and Connect. The key is encrypted before it leaves the page, and its input is cleared at
 * once.
 */
export function ConnectForm({
  profile,
  named = false,
  onConnected,
  aside,
}: {
  /** The connection to edit. Absent: a new connection is added. */
  profile?: Pick<SavedProfile, 'id' | 'baseUrl' | 'allowInsecure'>
  /** Whether to ask for a name. */
  named?: boolean
  onConnected: () => void
  aside?: ReactNode
}) {
  const { t } = useTranslation(['connect', 'common'])
  const studio = useStudio()
  const keychain = useApp(({ app }) => app?.keychain)
  const [form, send] = useReducer(connectReducer, firstForm(profile, keychain?.available ?? false))
  const keyInput = useRef<HTMLInputElement>(null)
  const nameInput = useRef<HTMLInputElement>(null)
  const [taken, setTaken] = useState<string | null>(null)
  const keyStorage = keychain?.available ? form.keyStorage : 'session'
  const address = judgeAddress(form.baseUrl)

  const sealedKey = async (): Promise<SealedKey> => {
    const input = keyInput.current
    if (form.sealed || !input) {
      if (form.sealed) return form.sealed
      throw new Error('The key input is missing.')
    }
    const { publicKey } = await studio.connection.sealingKey()
    const sealed = await sealKey(publicKey, input.value.trim())
    input.value = ''
    send({ type: 'sealed', sealed })
    return sealed
  }
  const profiles = useApp(({ app }) => app?.profiles)
  const typedName = (): string => nameInput.current?.value.trim() ?? ''
  const isTaken = (name: string): boolean =>
    name !== '' && profiles?.some((one) => one.name.toLowerCase() === name.toLowerCase()) === true
  const ask = async (phase: 'testing' | 'connecting') => {
    const name = typedName()
    if (phase === 'connecting' && isTaken(name)) {
      setTaken(name)
      nameInput.current?.focus()
      return
    }
    send({ type: 'ask', phase })
    try {
      const target = { baseUrl: form.baseUrl.trim(), key: await sealedKey(), allowInsecure: form.allowInsecure }
      if (phase === 'testing') send({ type: 'works', tested: await studio.connection.test(target) })
      else {
        await studio.connection.connect({
          ...target,
          keyStorage: keyStorage,
          ...(name !== '' && { name }),
          ...(profile && { id: profile.id }),
        })
        onConnected()
      }
    } catch (thrown) {
      send({ type: 'failed', problem: problemOf(thrown) })
    }
  }

  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (canAsk(form)) void ask('connecting')
      }}
    >
      <Field label={t('baseUrl')} hint={t('baseUrlHint')} error={address === 'bad' ? t('baseUrlBad') : null}>
        <TextInput
          mono
          type="url"
          inputMode="url"
          placeholder="https://api.example.com/v1"
          value={form.baseUrl}
          onChange={(event) => send({ type: 'address', baseUrl: event.target.value })}
        />
      </Field>
      {address === 'insecure' && (
        <Notice kind="warn">
          {t('insecureWhy')}
          <div className="mt-2">
            <Checkbox
              label={t('insecure')}
              checked={form.allowInsecure}
              onChange={(event) => send({ type: 'insist', allowInsecure: event.target.checked })}
            />
          </div>
        </Notice>
      )}
      {named && (
        <Field label={t('name')} hint={t('nameHint')} error={taken === null ? null : t('nameTaken', { name: taken })}>
          <TextInput
            ref={nameInput}
            maxLength={80}
            placeholder={hostOf(form.baseUrl)}
            onChange={() => setTaken(null)}
          />
        </Field>
      )}
      <Field label={t('key')} hint={t('keyHint')}>
        <PasswordInput
          ref={keyInput}
          showLabel={t('common:showKey')}
          hideLabel={t('common:hideKey')}
          placeholder={form.sealed ? t('keySealed') : ''}
          onChange={(event) => send({ type: 'key', typed: event.target.value.trim() !== '' })}
        />
      </Field>
      <div className="flex flex-col gap-1.5">
        <span className="font-[540] text-s">{t('keep')}</span>
        <Segmented
          label={t('keep')}
          value={keyStorage}
          onChange={(value) => send({ type: 'keyStorage', keyStorage: value })}
          segments={[
            { value: 'keychain', label: t('keepKeychain'), disabled: !keychain?.available },
            { value: 'session', label: t('keepSession') },
          ]}
        />
        <span className="text-faint text-s">
          {keychain && !keychain.available
            ? t('noKeychain', { reason: asSentence(keychain.reason ?? t('noKeychainReason')) })
            : t(keyStorage === 'keychain' ? 'keepKeychainHint' : 'keepSessionHint')}
        </span>
      </div>
      {form.problem && <ProblemNotice problem={form.problem} noAction />}
      {form.tested && (
        <Notice kind="good" title={t('works')} role="status">
          {t('worksModels', { count: form.tested.models, baseUrl: form.tested.baseUrl })}
          {(form.tested.keyName ?? form.tested.keyPrefix) &&
            ` ${t('worksKey', { key: [form.tested.keyName, form.tested.keyPrefix].filter(Boolean).join(' · ') })}`}
        </Notice>
      )}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <div className="me-auto">{aside}</div>
        <Button busy={form.phase === 'testing'} disabled={!canAsk(form)} onClick={() => void ask('testing')}>
          {form.phase === 'testing' ? t('testing') : t('test')}
        </Button>
        <Button variant="primary" type="submit" busy={form.phase === 'connecting'} disabled={!canAsk(form)}>
          {form.phase === 'connecting' ? t('connecting') : t('connect')}
        </Button>
      </div>
    </form>
  )
}

const hostOf = (typed: string): string => (URL.canParse(typed.trim()) ? new URL(typed.trim()).host : '')
