import { Plus, X } from 'lucide-react'
import { useRef } from 'react'
import { isComposing } from '../../../shared/isComposing.ts'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button, IconButton } from '../../../shared/ui/Button.tsx'
import { commandLine, programOf } from '../../../shared/ui/commandLine.ts'
import { Field, PasswordInput, TextInput } from '../../../shared/ui/Field.tsx'
import { plainText } from '../../../shared/ui/plainText.ts'
import { TextArea } from '../../../shared/ui/TextArea.tsx'
import {
  argsOf,
  isUnencrypted,
  linesOf,
  type SecretRow,
  type ServerErrors,
  type ServerForm,
  secretRow,
} from './serverForm.ts'

interface FieldsProps {
  form: ServerForm
  reported: (field: keyof ServerErrors) => string | null
  onChange: (part: Partial<ServerForm>) => void
}

export function StdioFields({ form, reported, onChange }: FieldsProps) {
  const t = useToolTranslate()
  const args = argsOf(form.args)
  /** Only what was typed is split: a stored program may have spaces in its path. */
  const typed = useRef(false)
  const split = (line: string): boolean => {
    const found = form.args === '' ? programOf(line) : null
    if (found) onChange({ command: found.command, args: linesOf(found.args) })
    return found !== null
  }
  const splitTyped = (): void => {
    if (typed.current) split(form.command)
    typed.current = false
  }
  return (
    <>
      <Field label={t('settings.server.command')} hint={t('settings.server.commandHint')} error={reported('command')}>
        <TextInput
          mono
          maxLength={4096}
          value={form.command}
          onChange={(event) => {
            typed.current = true
            onChange({ command: event.target.value })
          }}
          onPaste={(event) => {
            const { value, selectionStart, selectionEnd } = event.currentTarget
            const replacesAll = selectionStart === 0 && selectionEnd === value.length
            if (replacesAll && split(event.clipboardData.getData('text'))) event.preventDefault()
          }}
          onBlur={splitTyped}
          // Enter submits the form without a blur.
          onKeyDown={(event) => event.key === 'Enter' && !isComposing(event) && splitTyped()}
        />
      </Field>
      <Field label={t('settings.server.args')} hint={t('settings.server.argsHint')}>
        <TextArea mono rows={3} value={form.args} onChange={(event) => onChange({ args: event.target.value })} />
      </Field>
      {form.command.trim() !== '' && (
        <p className="text-faint text-s">
          {t('settings.server.commandPreview')}{' '}
          <code dir="ltr" className="select-text break-all font-mono text-soft [unicode-bidi:isolate]">
            {plainText(commandLine({ command: form.command.trim(), args }))}
          </code>
        </p>
      )}
      <Secrets kind="env" rows={form.env} error={reported('env')} onChange={(env) => onChange({ env })} />
      <Field label={t('settings.server.cwd')} hint={t('settings.server.cwdHint')} error={reported('cwd')}>
        <TextInput mono maxLength={4096} value={form.cwd} onChange={(event) => onChange({ cwd: event.target.value })} />
      </Field>
    </>
  )
}

export function HttpFields({ form, reported, onChange }: FieldsProps) {
  const t = useToolTranslate()
  return (
    <>
      <div className="flex flex-col gap-1.5">
        <Field label={t('settings.server.url')} hint={t('settings.server.urlHint')} error={reported('url')}>
          <TextInput
            mono
            inputMode="url"
            maxLength={4096}
            value={form.url}
            onChange={(event) => onChange({ url: event.target.value })}
          />
        </Field>
        {isUnencrypted(form.url.trim()) && <p className="text-s text-warn">{t('settings.server.urlClear')}</p>}
      </div>
      <Secrets
        kind="headers"
        rows={form.headers}
        error={reported('headers')}
        onChange={(headers) => onChange({ headers })}
      />
    </>
  )
}

/** Secrets with visible names and hidden values. The core never sends stored values to the page. */
function Secrets(props: {
  kind: 'env' | 'headers'
  rows: readonly SecretRow[]
  error: string | null
  onChange: (rows: SecretRow[]) => void
}) {
  const t = useToolTranslate()
  const { kind, rows, error } = props
  const set = (key: string, part: Partial<SecretRow>) =>
    props.onChange(rows.map((row) => (row.key === key ? { ...row, ...part } : row)))
  return (
    <fieldset className="m-0 flex min-w-0 flex-col gap-1.5 border-0 p-0">
      <legend className="mb-1.5 p-0 font-[540] text-s">{t(`settings.server.${kind}`)}</legend>
      {rows.map((row) => (
        <div key={row.key} className="flex items-end gap-2">
          <div className="min-w-0 flex-1">
            <Field label={t('settings.server.rowName')} quietLabel>
              <TextInput
                mono
                maxLength={200}
                placeholder={t('settings.server.rowName')}
                aria-invalid={error !== null || undefined}
                // A stored value belongs to its name: a new name needs a new value.
                readOnly={row.kept}
                value={row.name}
                onChange={(event) => set(row.key, { name: event.target.value })}
              />
            </Field>
          </div>
          <div className="min-w-0 flex-[1.4]">
            <Field label={t('settings.server.rowValue')} quietLabel>
              <PasswordInput
                showLabel={t('settings.server.show')}
                hideLabel={t('settings.server.hide')}
                maxLength={100_000}
                placeholder={t(row.kept ? 'settings.server.rowKept' : 'settings.server.rowValue')}
                value={row.value}
                onChange={(event) => set(row.key, { value: event.target.value })}
              />
            </Field>
          </div>
          <span className="mb-0.5">
            <IconButton
              icon={X}
              label={
                row.name === ''
                  ? t('settings.server.rowRemoveUnnamed')
                  : t('settings.server.rowRemove', { name: plainText(row.name) })
              }
              onClick={() => props.onChange(rows.filter(({ key }) => key !== row.key))}
            />
          </span>
        </div>
      ))}
      {error && (
        <p role="alert" className="text-bad text-s">
          {error}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button size="small" icon={Plus} onClick={() => props.onChange([...rows, secretRow()])}>
          {t(kind === 'env' ? 'settings.server.rowAddEnv' : 'settings.server.rowAddHeader')}
        </Button>
        <span className="min-w-[min(220px,100%)] flex-1 text-faint text-s">{t(`settings.server.${kind}Hint`)}</span>
      </div>
    </fieldset>
  )
}
