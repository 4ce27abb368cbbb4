import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type SecretRule, secretBeginning } from '../../../src-preload/contract/requests.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Field, TextInput } from '../../shared/ui/Field.tsx'
import { Form } from '../../shared/ui/Form.tsx'
import { OriginList } from '../../shared/ui/OriginList.tsx'
import { TextArea } from '../../shared/ui/TextArea.tsx'
import { useCall } from '../../shared/useCall.ts'
import { Group } from './Group.tsx'
import { useSave } from './useSave.ts'

/** The rules by which keys are removed from bodies: the list, a text to try them on, and the beginnings of the person's own keys. */
export function SecretRules({ beginnings }: { beginnings: readonly string[] }) {
  const { t } = useTranslation('settings')
  const studio = useStudio()
  const [rules, setRules] = useState<readonly SecretRule[]>([])
  useEffect(() => {
    let wanted = true
    studio.requests.secretRules().then(
      (found) => wanted && setRules(found),
      () => undefined,
    )
    return () => {
      wanted = false
    }
  }, [studio])
  return (
    <Group title={t('secrets.title')} about={t('secrets.about')}>
      <details>
        <summary className="w-fit rounded-s pe-1 font-[520]">
          {t('secrets.rules')} <span className="num font-normal text-faint">{rules.length}</span>
        </summary>
        <ul className="mt-2 grid gap-x-6 gap-y-1 text-s sm:grid-cols-2">
          {rules.map(({ id, name, example }) => (
            <li key={id} className="min-w-0 break-words">
              {name} <code className="break-all font-mono text-soft">{example}</code>
            </li>
          ))}
        </ul>
      </details>
      <Own beginnings={beginnings} />
      <Trial rules={rules} />
    </Group>
  )
}

function Own({ beginnings }: { beginnings: readonly string[] }) {
  const { t } = useTranslation('settings')
  const save = useSave()
  const [typed, setTyped] = useState('')
  const [isBad, setIsBad] = useState(false)
  const add = () => {
    const read = secretBeginning.safeParse(typed.trim())
    setIsBad(!read.success)
    if (!read.success) return
    save({ secretBeginnings: [...new Set([...beginnings, read.data])].slice(0, 50) })
    setTyped('')
  }
  return (
    <div className="flex flex-col gap-2">
      <div>
        <div className="font-[520]">{t('secrets.own')}</div>
        <div className="text-faint text-s">{t('secrets.ownHint')}</div>
      </div>
      {beginnings.length > 0 && (
        <OriginList
          origins={beginnings}
          removeLabel={(beginning) => t('secrets.remove', { beginning })}
          onRemove={(beginning) => save({ secretBeginnings: beginnings.filter((one) => one !== beginning) })}
        />
      )}
      <Form className="flex items-start gap-2" onSubmit={add}>
        <div className="min-w-0 flex-1">
          <Field label={t('secrets.beginning')} quietLabel error={isBad && t('secrets.bad')}>
            <TextInput
              mono
              maxLength={100}
              placeholder={t('secrets.placeholder')}
              value={typed}
              onChange={({ target }) => {
                setTyped(target.value)
                setIsBad(false)
              }}
            />
          </Field>
        </div>
        <Button type="submit" className="mt-0.5" disabled={typed.trim() === '' || beginnings.length >= 50}>
          {t('secrets.add')}
        </Button>
      </Form>
    </div>
  )
}

/** A text with the marks that it would be stored with. Nothing is stored. */
function Trial({ rules }: { rules: readonly SecretRule[] }) {
  const { t } = useTranslation('settings')
  const studio = useStudio()
  const [text, setText] = useState('')
  const [result, setResult] = useState<{ text: string; found: readonly { id: string; count: number }[] } | null>(null)
  const { busy, problem, run } = useCall()
  const nameOf = (id: string): string => rules.find((rule) => rule.id === id)?.name ?? t('secrets.own')
  return (
    <Form
      className="flex flex-col gap-2"
      onSubmit={() => run(async () => setResult(await studio.requests.testSecrets({ text })))}
    >
      <Field label={t('secrets.trial')} hint={t('secrets.trialHint')}>
        <TextArea
          mono
          rows={3}
          maxLength={200_000}
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setResult(null)
          }}
        />
      </Field>
      <Button type="submit" className="self-start" busy={busy} disabled={text === ''}>
        {t('secrets.test')}
      </Button>
      {problem && <ProblemNotice problem={problem} noAction />}
      <div role="status" className="flex flex-col gap-2 empty:hidden">
        {result && result.found.length === 0 && <p className="text-soft">{t('secrets.nothing')}</p>}
        {result && result.found.length > 0 && (
          <>
            <ul className="text-s">
              {result.found.map(({ id, count }) => (
                <li key={id}>{t('secrets.found', { count, name: nameOf(id) })}</li>
              ))}
            </ul>
            <pre className="max-h-52 overflow-auto whitespace-pre-wrap break-words rounded-m bg-hover p-2.5 font-mono text-s">
              {result.text}
            </pre>
          </>
        )}
      </div>
    </Form>
  )
}
