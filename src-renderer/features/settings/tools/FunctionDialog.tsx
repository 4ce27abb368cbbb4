import { useDeferredValue, useEffect, useRef, useState } from 'react'
import type { FunctionTool } from '../../../../src-preload/contract/tools.ts'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../../shared/studioContext.ts'
import { jsonFaultText, useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { cx } from '../../../shared/ui/cx.ts'
import { FormDialog } from '../../../shared/ui/Dialog.tsx'
import { Field, TextInput } from '../../../shared/ui/Field.tsx'
import { Form } from '../../../shared/ui/Form.tsx'
import { Select } from '../../../shared/ui/Select.tsx'
import { Switch } from '../../../shared/ui/Switch.tsx'
import { TextArea } from '../../../shared/ui/TextArea.tsx'
import { useCall } from '../../../shared/useCall.ts'
import type { SchemaFault } from './schema.ts'
import { type Example, examples, readSchema, toolAsSent } from './schema.ts'
import { functionNameFault } from './serverForm.ts'

export interface FunctionDialogProps {
  draft: FunctionTool | 'new' | null
  others: readonly FunctionTool[]
  onClose: () => void
}

/** Edits one of the person's own tools. */
export function FunctionDialog({ draft, others, onClose }: FunctionDialogProps) {
  const t = useToolTranslate()
  const tool = draft === 'new' ? null : draft
  return (
    <FormDialog
      open={draft !== null}
      onClose={onClose}
      title={tool ? t('settings.form.editTitle', { name: tool.name }) : t('settings.form.addTitle')}
      about={t('settings.form.about')}
    >
      {draft !== null && <FunctionForm tool={tool} others={others} onClose={onClose} />}
    </FormDialog>
  )
}

type Typed = Pick<FunctionTool, 'name' | 'description' | 'schema' | 'strict'>
const fresh: Typed = { name: '', description: '', schema: examples.text, strict: false }

function FunctionForm({ tool, others, onClose }: { tool: FunctionTool | null } & Omit<FunctionDialogProps, 'draft'>) {
  const t = useToolTranslate()
  const studio = useStudio()
  const [typed, setTyped] = useState<Typed>(
    tool ? { name: tool.name, description: tool.description, schema: tool.schema, strict: tool.strict } : fresh,
  )
  const [tried, setTried] = useState(0)
  const { busy, problem, run } = useCall()
  const element = useRef<HTMLFormElement>(null)
  const change = (part: Partial<Typed>) => setTyped((before) => ({ ...before, ...part }))
  const reading = readSchema(typed.schema)
  const names = others.filter(({ id }) => id !== tool?.id).map(({ name }) => name)
  const nameFault = functionNameFault(typed.name, names)
  const nameWords = {
    empty: 'settings.form.nameEmpty',
    form: 'settings.form.nameForm',
    taken: 'settings.form.nameTaken',
  } as const
  const bad = nameFault !== null || reading.json !== null || reading.faults.length > 0
  // After a failed save, focuses the first field with an error.
  useEffect(() => {
    if (tried > 0) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [tried])
  const save = () => {
    if (busy) return
    if (bad) {
      setTried(tried + 1)
      return
    }
    run(() => studio.tools.saveFunction({ ...typed, ...(tool ? { id: tool.id } : {}) }).then(onClose))
  }
  return (
    <Form ref={element} noValidate className="flex flex-col gap-4" onSubmit={save}>
      <Field
        label={t('settings.form.name')}
        hint={t('settings.form.nameHint')}
        error={nameFault && (tried > 0 || nameFault !== 'empty') ? t(nameWords[nameFault]) : null}
      >
        <TextInput mono maxLength={64} value={typed.name} onChange={(event) => change({ name: event.target.value })} />
      </Field>
      <Field label={t('settings.form.description')} hint={t('settings.form.descriptionHint')}>
        <TextArea
          rows={2}
          maxLength={10_000}
          value={typed.description}
          onChange={(event) => change({ description: event.target.value })}
        />
      </Field>
      <div className="flex flex-col gap-1.5">
        <Field
          label={t('settings.form.schema')}
          error={reading.json ? jsonFaultText(t, reading.json) : null}
          hint={reading.faults.length === 0 ? t('settings.form.schemaGood') : null}
        >
          <TextArea
            mono
            rows={8}
            maxLength={200_000}
            aria-invalid={bad && nameFault === null ? true : undefined}
            value={typed.schema}
            onChange={(event) => change({ schema: event.target.value })}
          />
        </Field>
        <SchemaMessages tone="bad" faults={reading.faults} />
        <SchemaMessages tone="warn" faults={reading.hints} />
        <div className="flex flex-wrap items-center gap-2">
          <Select
            label={t('settings.form.start')}
            value=""
            choices={[
              { value: '', label: t('settings.form.pick') },
              ...exampleNames.map((name) => ({ value: name, label: t(`settings.form.example.${name}`) })),
            ]}
            onPick={(name) => {
              if (name !== '') change({ schema: examples[name] })
            }}
          />
          <Button
            size="small"
            variant="plain"
            disabled={reading.json !== null}
            onClick={() => change({ schema: JSON.stringify(JSON.parse(typed.schema), null, 2) })}
          >
            {t('settings.form.tidy')}
          </Button>
        </div>
      </div>
      <div className="flex items-start gap-4">
        <div className="min-w-0 flex-1">
          <div className="font-[540] text-s">{t('settings.form.strict')}</div>
          <p className="text-faint text-s">{t('settings.form.strictAbout')}</p>
          {typed.strict && reading.strict.length > 0 && (
            <div className="mt-1.5">
              <p className="text-s text-warn">{t('settings.form.strictMore')}</p>
              <SchemaMessages tone="warn" faults={reading.strict} />
            </div>
          )}
        </div>
        <Switch label={t('settings.form.strict')} checked={typed.strict} onChange={(strict) => change({ strict })} />
      </div>
      <Preview typed={typed} />
      {problem && <ProblemNotice problem={problem} on={{ retry: save }} />}
      <div className="sticky bottom-0 -mx-5 -mb-5 flex flex-wrap items-center justify-end gap-2 border-line border-t bg-raise px-5 py-3">
        {tried > 0 && bad && (
          <span role="alert" className="me-auto text-bad text-s">
            {t('settings.form.correctFields')}
          </span>
        )}
        <Button disabled={busy} onClick={onClose}>
          {t('settings.form.cancel')}
        </Button>
        <Button variant="primary" type="submit" busy={busy}>
          {t(tool ? 'settings.form.save' : 'settings.form.add')}
        </Button>
      </div>
    </Form>
  )
}

const exampleNames: readonly Example[] = ['none', 'text', 'choice', 'list']

/** The tool as sent in a request. */
function Preview({ typed }: { typed: Typed }) {
  const t = useToolTranslate()
  const sent = toolAsSent(useDeferredValue(typed))
  if (sent === null) return null
  return (
    <details className="text-s">
      <summary className="w-fit rounded-s font-[520] text-soft">{t('settings.form.preview')}</summary>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
        tabIndex={0}
        aria-label={t('settings.form.preview')}
        className="mt-1.5 max-h-56 overflow-auto rounded-m bg-panel px-3 py-2 shadow-[inset_0_0_0_1px_var(--line)]"
      >
        <pre className="m-0 select-text font-mono text-s">{sent.slice(0, 20_000)}</pre>
      </section>
    </details>
  )
}

/** Upper limit of shown faults. */
const most = 4

/** The faults of a schema, one sentence each, with their path. */
function SchemaMessages({ faults, tone }: { faults: readonly SchemaFault[]; tone: 'bad' | 'warn' }) {
  const t = useToolTranslate()
  if (faults.length === 0) return null
  return (
    <ul className={cx('list-disc ps-5 text-s', tone === 'bad' ? 'text-bad' : 'text-warn')}>
      {faults.slice(0, most).map(({ kind, path, value }) => {
        const what = t(`settings.schema.${kind}`, { value })
        const whole = kind === 'rootObject' || kind === 'rootType'
        return (
          <li key={`${kind} ${path} ${value}`} className="break-words">
            {whole ? what : t('settings.schema.at', { path: path === '' ? t('settings.schema.root') : path, what })}
          </li>
        )
      })}
      {faults.length > most && <li>{t('settings.form.more', { count: faults.length - most })}</li>}
    </ul>
  )
}
