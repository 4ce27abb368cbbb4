import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { App } from '../../../src-preload/contract/apps.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { problemOf } from '../../api/problem.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { Dialog } from '../../shared/ui/Dialog.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { appsStore } from '../../stores/apps.ts'
import { AppFields } from './AppFields.tsx'
import { type FormErrors, formOf, freshColour, newForm, readForm } from './form.ts'
import { SetupPicker } from './SetupPicker.tsx'

/** The state of the dialog: closed, a new app (perhaps for a selected setup), or changes of an app. */
export type AppDraft = { tool: App | null; name: string; setup: string | null }

interface Shared {
  onClose: () => void
  baseUrl: string | null
  model: string | null
  bodyDays: number
}

/** The form of an app. After creating an app, shows the key once, with the setup texts. */
export function AppDialog({ draft, ...shared }: Shared & { draft: AppDraft | null }) {
  const { t } = useTranslation('proxy')
  const [made, setMade] = useState<{ app: App; key: string } | null>(null)
  const close = () => {
    setMade(null)
    shared.onClose()
  }
  const title = made
    ? t('form.doneTitle', { name: made.app.name })
    : draft?.tool
      ? t('form.editTitle', { name: draft.tool.name })
      : t('form.addTitle')
  return (
    <Dialog
      open={draft !== null}
      onClose={close}
      width="wide"
      stayOnOutsideClick
      title={title}
      about={made ? null : t(draft?.tool ? 'form.editAbout' : 'form.addAbout')}
    >
      {made && draft ? (
        <Made {...shared} tool={made.app} secret={made.key} setup={draft.setup} onClose={close} />
      ) : (
        draft && <Form {...shared} draft={draft} onClose={close} onMade={setMade} />
      )}
    </Dialog>
  )
}

function Form({
  draft,
  bodyDays,
  onClose,
  onMade,
}: Shared & { draft: AppDraft; onMade: (made: { app: App; key: string }) => void }) {
  const { t } = useTranslation('proxy')
  const studio = useStudio()
  const { tool } = draft
  const [form, setForm] = useState(() =>
    tool ? formOf(tool) : newForm(draft.name, freshColour(appsStore.getState().tools ?? [])),
  )
  const [errors, setErrors] = useState<FormErrors>({})
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const element = useRef<HTMLFormElement>(null)
  // After a failed save, focuses the first field with an error.
  useEffect(() => {
    if (Object.keys(errors).length > 0) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [errors])
  const save = () => {
    if (busy) return
    const read = readForm(form, Date.now(), tool?.expiresAt ?? null)
    setErrors(read.errors ?? {})
    if (!read.settings) return
    setBusy(true)
    setProblem(null)
    const saving = tool
      ? studio.apps.update({ id: tool.id, changes: read.settings }).then(onClose)
      : studio.apps.add(read.settings).then(onMade)
    saving.catch((thrown: unknown) => setProblem(problemOf(thrown))).finally(() => setBusy(false))
  }
  return (
    <form
      ref={element}
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <AppFields
        form={form}
        errors={errors}
        bodyDays={bodyDays}
        onChange={(change) => {
          setForm((before) => ({ ...before, ...change }))
          // An edited field has no error until the next check.
          setErrors((before) => {
            const changed = [...Object.keys(change), ...('anyModel' in change ? ['models'] : [])]
            if ('anyEndpoint' in change) changed.push('endpoints')
            return Object.fromEntries(Object.entries(before).filter(([field]) => !changed.includes(field)))
          })
        }}
      />
      {problem && <ProblemNotice problem={problem} on={{ retry: save }} />}
      <div className="sticky bottom-0 -mx-5 -mb-5 flex flex-wrap items-center justify-end gap-2 border-line border-t bg-raise px-5 py-3">
        {Object.keys(errors).length > 0 && (
          <span role="alert" className="me-auto text-bad text-s">
            {t('form.bad.some')}
          </span>
        )}
        <Button variant="primary" type="submit" busy={busy} disabled={form.name.trim() === ''}>
          {t(tool ? 'form.save' : 'form.make')}
        </Button>
      </div>
    </form>
  )
}

function Made(props: Shared & { tool: App; secret: string; setup: string | null }) {
  const { t } = useTranslation('proxy')
  const { tool, secret } = props
  return (
    <>
      <Notice kind="warn">{t('form.once')}</Notice>
      <div className="flex flex-wrap items-center gap-2">
        <code
          data-testid="tool-key"
          className="min-w-0 flex-1 select-all break-all rounded-m bg-hover px-3 py-1.5 font-mono text-s"
        >
          {secret}
        </code>
        <CopyButton variant="primary" text={secret} name={t('form.copy')} label={t('form.copy')} />
      </div>
      <SetupPicker
        baseUrl={props.baseUrl}
        secret={secret}
        models={tool.models}
        model={props.model}
        first={props.setup}
        about={t('setup.withKey', { name: tool.name })}
      />
      <div className="flex justify-end">
        <Button onClick={props.onClose}>{t('form.done')}</Button>
      </div>
    </>
  )
}
