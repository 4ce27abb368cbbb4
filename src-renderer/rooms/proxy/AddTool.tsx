import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { problemOf } from '../../api/problem.ts'
import { ProblemNotice } from '../../problems/ProblemNotice.tsx'
import { useStudio } from '../../studio.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Setup } from './Setup.tsx'

/** Asks for a name, then shows the key this once. It lives in this dialog alone and is gone with it. */
export function AddTool(props: { open: boolean; onClose: () => void; baseUrl: string | null; model: string | null }) {
  const { t } = useTranslation('proxy')
  const studio = useStudio()
  const [name, setName] = useState('')
  const [made, setMade] = useState<{ name: string; key: string } | null>(null)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const close = () => {
    setName('')
    setMade(null)
    setProblem(null)
    props.onClose()
  }
  const make = () => {
    if (name.trim() === '' || busy) return
    setBusy(true)
    setProblem(null)
    studio.tools
      .add({ name: name.trim() })
      .then(({ tool, key }) => setMade({ name: tool.name, key }))
      .catch((thrown: unknown) => setProblem(problemOf(thrown)))
      .finally(() => setBusy(false))
  }
  return (
    <Dialog
      open={props.open}
      onClose={close}
      width={made ? 'wide' : 'narrow'}
      stayOnOutsideClick
      title={made ? t('addDialog.doneTitle', { name: made.name }) : t('addDialog.title')}
      about={made ? null : t('addDialog.about')}
    >
      {made ? (
        <>
          <Notice kind="warn">{t('addDialog.once')}</Notice>
          <div className="flex flex-wrap items-center gap-2">
            <code
              data-testid="tool-key"
              className="min-w-0 flex-1 select-all break-all rounded-m bg-hover px-3 py-1.5 font-mono text-s"
            >
              {made.key}
            </code>
            <CopyButton look="go" text={made.key} name={t('addDialog.copy')} label={t('addDialog.copy')} />
          </div>
          <Setup baseUrl={props.baseUrl} model={props.model} made={made} />
          <div className="flex justify-end">
            <Button onClick={close}>{t('addDialog.done')}</Button>
          </div>
        </>
      ) : (
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            make()
          }}
        >
          <Field label={t('addDialog.name')} hint={t('addDialog.nameHint')}>
            <TextInput
              maxLength={80}
              placeholder={t('addDialog.placeholder')}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </Field>
          {problem && <ProblemNotice problem={problem} on={{ retry: make }} />}
          <div className="flex justify-end">
            <Button look="go" type="submit" busy={busy} disabled={name.trim() === ''}>
              {t('addDialog.make')}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}
