import { ArrowLeft } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, type ReactNode, type TextareaHTMLAttributes, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Prompt } from '../../../../src-preload/contract/library.ts'
import { isComposing } from '../../../shared/isComposing.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { Field, TextInput, useFieldProps } from '../../../shared/ui/Field.tsx'
import { insertPrompt, savePrompt, showPage } from './prompts.ts'
import { filledPieces, variablesOf } from './variables.ts'

const back = (): void => showPage({ page: 'list' })

/** The contract's limits. */
const longestName = 100
const longestText = 100_000

/** Edits a new or existing prompt. */
export function PromptEdit({ prompt }: { prompt: Prompt | null }) {
  const { t } = useTranslation('library')
  const [name, setName] = useState(prompt?.name ?? '')
  const [text, setText] = useState(prompt?.text ?? '')
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)
  const noName = name.trim() === ''
  const noText = text.trim() === ''
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    if (noName || noText) return
    setBusy(true)
    const saved = await savePrompt({ ...(prompt && { id: prompt.id }), name: name.trim(), text })
    setBusy(false)
    if (saved) back()
  }
  return (
    <Form onSubmit={(event) => void save(event)} busy={busy} action={t('promptSave')}>
      <Field label={t('promptName')} error={tried && noName ? t('promptNeedName') : null}>
        <TextInput value={name} maxLength={longestName} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field
        label={t('promptText')}
        hint={t('promptTextHint', { plain: '{{name}}', preset: '{{name=Ada}}' })}
        error={tried && noText ? t('promptNeedText') : null}
      >
        <Area value={text} maxLength={longestText} onChange={(event) => setText(event.target.value)} />
      </Field>
    </Form>
  )
}

/** Asks for the variables of a prompt, with a preview. */
export function PromptFill({ prompt }: { prompt: Prompt }) {
  const { t } = useTranslation('library')
  const variables = variablesOf(prompt.text)
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(variables.map(({ name, value }) => [name, value])),
  )
  const insert = (event: FormEvent): void => {
    event.preventDefault()
    insertPrompt(prompt, values)
  }
  return (
    <Form onSubmit={insert} action={t('promptInsert')}>
      {variables.map(({ name }) => (
        <Field key={name} label={name}>
          <Area
            small
            rows={1}
            value={values[name] ?? ''}
            onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            onKeyDown={sendByEnter}
          />
        </Field>
      ))}
      <div>
        <div className="mb-1.5 font-[540] text-s">{t('promptPreview')}</div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
        <section className="list-preview" dir="auto" aria-label={t('promptPreview')} tabIndex={0}>
          {filledPieces(prompt.text, values).map((piece, at) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text
            piece.filled ? <mark key={at}>{piece.text}</mark> : <span key={at}>{piece.text}</span>,
          )}
        </section>
      </div>
    </Form>
  )
}

/** Enter submits, as in a field of one line. Shift+Enter inserts a line break. */
function sendByEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}

function Form(props: { onSubmit: (event: FormEvent) => void; action: string; busy?: boolean; children: ReactNode }) {
  const { t } = useTranslation(['library', 'common'])
  return (
    <form className="flex min-w-0 flex-col gap-4" onSubmit={props.onSubmit}>
      {props.children}
      <div className="flex flex-wrap justify-end gap-2">
        <Button variant="plain" icon={ArrowLeft} className="list-back me-auto" onClick={back}>
          {t('promptBack')}
        </Button>
        <Button type="submit" variant="primary" busy={props.busy ?? false}>
          {props.action}
        </Button>
      </div>
    </form>
  )
}

function Area({ small = false, ...props }: TextareaHTMLAttributes<HTMLTextAreaElement> & { small?: boolean }) {
  return (
    <textarea
      dir="auto"
      {...useFieldProps()}
      {...props}
      className={small ? 'list-area list-area-small' : 'list-area'}
    />
  )
}
