import { useState } from 'react'
import type { McpServer } from '../../../../src-preload/contract/tools.ts'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../../shared/studioContext.ts'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { FormDialog } from '../../../shared/ui/Dialog.tsx'
import { Field, TextInput } from '../../../shared/ui/Field.tsx'
import { Form } from '../../../shared/ui/Form.tsx'
import { Notice } from '../../../shared/ui/Notice.tsx'
import { plainText } from '../../../shared/ui/plainText.ts'
import { Segmented } from '../../../shared/ui/Segmented.tsx'
import { useCall, useFirstInvalid } from '../../../shared/useCall.ts'
import { HttpFields, StdioFields } from './ServerFields.tsx'
import { readServerForm, type ServerErrors, type ServerForm, saveServer } from './serverForm.ts'

export interface ServerDialogProps {
  /** The initial form. Null: closed. */
  form: ServerForm | null
  servers: readonly McpServer[]
  onClose: () => void
  onSaved?: () => void
}

/** Edits a server. Secret values are typed once and never shown again. */
export function ServerDialog({ form, servers, onClose, onSaved }: ServerDialogProps) {
  const t = useToolTranslate()
  const edited = form !== null && form.id !== null
  return (
    <FormDialog
      open={form !== null}
      onClose={onClose}
      title={edited ? t('settings.server.editTitle', { name: plainText(form.name) }) : t('settings.server.addTitle')}
      about={t(edited ? 'settings.server.editAbout' : 'settings.server.addAbout')}
    >
      {form && (
        <ServerFields
          first={form}
          servers={servers}
          onClose={onClose}
          onSaved={() => {
            onSaved?.()
            onClose()
          }}
        />
      )}
    </FormDialog>
  )
}

function ServerFields(props: {
  first: ServerForm
  servers: readonly McpServer[]
  onClose: () => void
  onSaved: () => void
}) {
  const t = useToolTranslate()
  const studio = useStudio()
  const [form, setForm] = useState(props.first)
  const [errors, setErrors] = useState<ServerErrors>({})
  const { busy, problem, run } = useCall()
  const element = useFirstInvalid<HTMLFormElement>(errors)
  const change = (part: Partial<ServerForm>) => {
    setForm((before) => ({ ...before, ...part }))
    // An edited field has no error until the next check.
    setErrors((before) => Object.fromEntries(Object.entries(before).filter(([field]) => !(field in part))))
  }
  const others = props.servers.filter(({ id }) => id !== form.id).map(({ name }) => name)
  const isNew = form.id === null
  const save = (on: boolean) => {
    if (busy) return
    const read = readServerForm(form, others)
    setErrors(read.errors ?? {})
    const { server } = read
    if (server) run(() => saveServer(studio, server, on).then(props.onSaved))
  }
  const reported = (field: keyof ServerErrors): string | null => {
    const fault = errors[field]
    return fault ? t(`settings.server.fault.${fault}`) : null
  }
  return (
    <Form ref={element} noValidate className="flex flex-col gap-4" onSubmit={() => save(false)}>
      <Field label={t('settings.server.name')} hint={t('settings.server.nameHint')} error={reported('name')}>
        <TextInput maxLength={60} value={form.name} onChange={(event) => change({ name: event.target.value })} />
      </Field>
      <Segmented
        label={t('settings.server.kind')}
        value={form.kind}
        onChange={(kind) => change({ kind })}
        segments={[
          { value: 'stdio', label: t('settings.server.stdio') },
          { value: 'http', label: t('settings.server.http') },
        ]}
      />
      {/* Above the fields, because the button that turns the server on is always visible. */}
      {isNew && (
        <Notice
          kind="warn"
          role="note"
          title={t(form.kind === 'stdio' ? 'settings.gallery.starts' : 'settings.gallery.connects')}
        >
          {t(form.kind === 'stdio' ? 'settings.servers.warnStdio' : 'settings.gallery.warnHttp')}
        </Notice>
      )}
      {form.kind === 'stdio' ? (
        <StdioFields form={form} reported={reported} onChange={change} />
      ) : (
        <HttpFields form={form} reported={reported} onChange={change} />
      )}
      <Field label={t('settings.server.timeout')} hint={t('settings.server.timeoutHint')} error={reported('timeout')}>
        <TextInput
          inputMode="numeric"
          className="num max-w-28"
          value={form.timeout}
          onChange={(event) => change({ timeout: event.target.value })}
        />
      </Field>
      {problem && <ProblemNotice problem={problem} on={{ retry: () => save(false) }} />}
      <div className="sticky bottom-0 -mx-5 -mb-5 flex flex-wrap items-center justify-end gap-2 border-line border-t bg-raise px-5 py-3">
        {Object.keys(errors).length > 0 && (
          <span role="alert" className="me-auto text-bad text-s">
            {t('settings.form.correctFields')}
          </span>
        )}
        <Button disabled={busy} onClick={props.onClose}>
          {t('settings.form.cancel')}
        </Button>
        <Button variant={isNew ? 'normal' : 'primary'} type="submit" busy={busy}>
          {t(isNew ? 'settings.server.add' : 'settings.server.save')}
        </Button>
        {isNew && (
          <Button variant="primary" busy={busy} onClick={() => save(true)}>
            {t('settings.gallery.addOn')}
          </Button>
        )}
      </div>
    </Form>
  )
}
