import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { App } from '../../../src-preload/contract/apps.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { FormDialog } from '../../shared/ui/Dialog.tsx'
import { useCall } from '../../shared/useCall.ts'
import { AppFields } from './AppFields.tsx'
import { type Budget, formOf } from './form.ts'
import { submitting, useAppForm } from './useAppForm.ts'

interface EditProps {
  app: App | null
  bodyDays: number
  /** The budget that a person wants to raise. */
  first?: Budget | undefined
  onClose: () => void
}

/** Changes the settings of an app. */
export function EditDialog({ app, ...props }: EditProps) {
  const { t } = useTranslation('proxy')
  return (
    <FormDialog
      open={app !== null}
      onClose={props.onClose}
      title={t('form.editTitle', { name: app?.name ?? '' })}
      about={t('form.editAbout')}
    >
      {app && <EditForm {...props} app={app} />}
    </FormDialog>
  )
}

function EditForm({ app, bodyDays, first, onClose }: EditProps & { app: App }) {
  const { t } = useTranslation('proxy')
  const studio = useStudio()
  const { form, errors, hasErrors, change, read, element } = useAppForm(() => formOf(app), app.expiresAt)
  const { busy, problem, run } = useCall()
  const save = () => {
    const changes = read()
    if (changes) run(() => studio.apps.update({ id: app.id, changes }).then(onClose))
  }
  return (
    <form ref={element} noValidate className="flex flex-col gap-4" onSubmit={submitting(save)}>
      <AppFields form={form} errors={errors} bodyDays={bodyDays} first={first} onChange={change} />
      {problem && <ProblemNotice problem={problem} on={{ retry: save }} />}
      <DialogFooter note={hasErrors ? t('form.bad.some') : null}>
        <Button disabled={busy} onClick={onClose}>
          {t('form.cancel')}
        </Button>
        <Button variant="primary" type="submit" busy={busy} disabled={form.name.trim() === ''}>
          {t('form.save')}
        </Button>
      </DialogFooter>
    </form>
  )
}

/** The buttons of a dialog, always visible while its content scrolls. */
export function DialogFooter({ note = null, children }: { note?: string | null; children: ReactNode }) {
  return (
    <div className="sticky bottom-0 -mx-5 mt-auto -mb-5 flex flex-wrap items-center justify-end gap-2 border-line border-t bg-raise px-5 py-3">
      {note && (
        <span role="alert" className="me-auto text-bad text-s">
          {note}
        </span>
      )}
      {children}
    </div>
  )
}
