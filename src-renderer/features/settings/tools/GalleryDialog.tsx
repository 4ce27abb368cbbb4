import { ArrowLeft } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { McpServer } from '../../../../src-preload/contract/tools.ts'
import { joinSentences, showNames } from '../../../i18n/format.ts'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../../shared/studioContext.ts'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { commandLine } from '../../../shared/ui/commandLine.ts'
import { FormDialog } from '../../../shared/ui/Dialog.tsx'
import { Field, PasswordInput, TextInput } from '../../../shared/ui/Field.tsx'
import { Form } from '../../../shared/ui/Form.tsx'
import { KeyValue } from '../../../shared/ui/KeyValue.tsx'
import { Notice } from '../../../shared/ui/Notice.tsx'
import { TextArea } from '../../../shared/ui/TextArea.tsx'
import { useCall, useFirstInvalid } from '../../../shared/useCall.ts'
import {
  faultOfValue,
  formOfGallery,
  type GalleryFault,
  type GalleryField,
  type GalleryServer,
  gallery,
} from './gallery.ts'
import { type AddServersProps, argsOf, readServerForm, type ServerForm, saveServer } from './serverForm.ts'

/** Adds a well-known server. Choosing one shows what would run; only its last button stores or starts anything. */
export function GalleryDialog({ open, servers, onClose }: AddServersProps) {
  const t = useToolTranslate()
  const [chosen, setChosen] = useState<GalleryServer | null>(null)
  const close = (): void => {
    setChosen(null)
    onClose()
  }
  return (
    <FormDialog
      open={open}
      onClose={close}
      title={chosen ? t('settings.gallery.addTitle', { name: chosen.name }) : t('settings.gallery.title')}
      about={chosen ? t(`settings.gallery.servers.${chosen.id}.about`) : t('settings.gallery.about')}
    >
      {chosen ? (
        <Add key={chosen.id} server={chosen} servers={servers} onBack={() => setChosen(null)} onDone={close} />
      ) : (
        <ul className="flex flex-col gap-2">
          {gallery.map((server) => (
            <li key={server.id}>
              <button
                type="button"
                className="flex w-full flex-col gap-0.5 rounded-m p-3 text-start shadow-[inset_0_0_0_1px_var(--line-strong)] hover:bg-hover"
                onClick={() => setChosen(server)}
              >
                <span className="font-[540]">{server.name}</span>
                <span className="text-s text-soft">{t(`settings.gallery.servers.${server.id}.about`)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </FormDialog>
  )
}

interface AddProps {
  server: GalleryServer
  servers: readonly McpServer[]
  onBack: () => void
  onDone: () => void
}

function Add({ server, servers, onBack, onDone }: AddProps) {
  const t = useToolTranslate()
  const studio = useStudio()
  const [values, setValues] = useState<Record<string, string>>({})
  const [errors, setErrors] = useState<Record<string, GalleryFault>>({})
  const { busy, problem, run } = useCall()
  const element = useFirstInvalid<HTMLFormElement>(errors)
  const names = servers.map(({ name }) => name)
  const form = formOfGallery(server, values, names)
  const add = (on: boolean): void => {
    const found = server.fields.flatMap(({ id, kind }) => {
      const fault = faultOfValue(kind, values[id] ?? '')
      return fault ? [[id, fault] as const] : []
    })
    setErrors(Object.fromEntries(found))
    const { server: toSave } = readServerForm(form, names)
    if (found.length > 0 || !toSave) return
    run(async () => {
      await saveServer(studio, toSave, on)
      onDone()
    })
  }
  const texts = `settings.gallery.servers.${server.id}` as const
  const rows = [
    { id: 'may', name: t('settings.gallery.may'), value: t(`${texts}.may`) },
    {
      id: 'needs',
      name: t('settings.gallery.needs'),
      value: joinSentences([server.needs && t(`settings.gallery.needed.${server.needs}`), t(`${texts}.needs`)]),
    },
    { id: 'source', name: t('settings.gallery.source'), value: server.source },
  ]
  return (
    <Form ref={element} noValidate className="flex flex-col gap-4" onSubmit={() => add(false)}>
      <KeyValue sentences rows={rows} />
      {server.fields.map((field) => (
        <ValueField
          key={field.id}
          field={field}
          value={values[field.id] ?? ''}
          fault={errors[field.id]}
          onChange={(value) => {
            setValues({ ...values, [field.id]: value })
            // An edited field has no error until the next check.
            setErrors(Object.fromEntries(Object.entries(errors).filter(([id]) => id !== field.id)))
          }}
        />
      ))}
      <Command form={form} />
      <Notice
        kind="warn"
        role="note"
        title={form.kind === 'stdio' ? t('settings.gallery.starts') : t('settings.gallery.connects')}
      >
        {t(form.kind === 'stdio' ? 'settings.servers.warnStdio' : 'settings.gallery.warnHttp')}
      </Notice>
      {problem && <ProblemNotice problem={problem} noAction />}
      <div className="sticky bottom-0 -mx-5 -mb-5 flex flex-wrap items-center justify-end gap-2 border-line border-t bg-raise px-5 py-3">
        <Button variant="plain" icon={ArrowLeft} className="me-auto" onClick={onBack}>
          {t('settings.gallery.back')}
        </Button>
        <Button type="submit" busy={busy}>
          {t('settings.gallery.addOff')}
        </Button>
        <Button variant="primary" busy={busy} onClick={() => add(true)}>
          {t('settings.gallery.addOn')}
        </Button>
      </div>
    </Form>
  )
}

function ValueField(props: {
  field: GalleryField
  value: string
  fault: GalleryFault | undefined
  onChange: (value: string) => void
}) {
  const t = useToolTranslate()
  const { field, value, fault, onChange } = props
  const control: ReactNode =
    field.kind === 'folders' ? (
      <TextArea
        mono
        rows={2}
        maxLength={20_000}
        placeholder={field.placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    ) : field.kind === 'secret' ? (
      <PasswordInput
        showLabel={t('settings.server.show')}
        hideLabel={t('settings.server.hide')}
        maxLength={10_000}
        placeholder={field.placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    ) : (
      <TextInput
        mono
        inputMode="url"
        maxLength={4096}
        placeholder={field.placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  return (
    <Field
      label={t(`settings.gallery.fields.${field.kind}`)}
      hint={t(`settings.gallery.hints.${field.kind}`)}
      error={fault ? t(`settings.gallery.fault.${fault}`) : null}
    >
      {control}
    </Field>
  )
}

/** Exactly what is started or contacted. Secret values are named, not shown. */
function Command({ form }: { form: ServerForm }) {
  const t = useToolTranslate()
  const isProgram = form.kind === 'stdio'
  const text = isProgram ? commandLine({ command: form.command, args: argsOf(form.args) }) : form.url
  const names = (isProgram ? form.env : form.headers).map(({ name }) => name)
  return (
    <section aria-label={t('settings.gallery.exact')} className="flex flex-col gap-1 text-s">
      <h3 className="font-[540]">{t('settings.gallery.exact')}</h3>
      <code
        dir="ltr"
        className="select-text whitespace-pre-wrap break-all rounded-m bg-panel px-3 py-2 font-mono shadow-[inset_0_0_0_1px_var(--line)] [unicode-bidi:isolate]"
      >
        {text}
      </code>
      {names.length > 0 && (
        <p className="text-faint">
          {t(isProgram ? 'settings.gallery.withEnv' : 'settings.gallery.withHeaders', { names: showNames(names) })}
        </p>
      )}
    </section>
  )
}
