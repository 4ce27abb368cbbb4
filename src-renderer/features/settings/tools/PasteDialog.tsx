import { useMemo, useState } from 'react'
import type { McpServer } from '../../../../src-preload/contract/tools.ts'
import { showNames } from '../../../i18n/format.ts'
import { jsonFaultText, useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { commandLine } from '../../../shared/ui/commandLine.ts'
import { FormDialog } from '../../../shared/ui/Dialog.tsx'
import { Field } from '../../../shared/ui/Field.tsx'
import { Pill } from '../../../shared/ui/Pill.tsx'
import { plainText } from '../../../shared/ui/plainText.ts'
import { TextArea } from '../../../shared/ui/TextArea.tsx'
import { useCall } from '../../../shared/useCall.ts'
import { type ReadServer, readConfig } from './config.ts'
import { ServerDialog } from './ServerDialog.tsx'
import { type AddServersProps, argsOf, readServerForm, type ServerForm, saveServer } from './serverForm.ts'
import { useAction } from './useAction.ts'

/** Imports the configuration of another program into forms. */
export function PasteDialog({ open, servers, onClose }: AddServersProps) {
  const t = useToolTranslate()
  const [form, setForm] = useState<ServerForm | null>(null)
  return (
    <>
      <FormDialog open={open} onClose={onClose} title={t('settings.paste.title')} about={t('settings.paste.about')}>
        <Paste servers={servers} onReview={setForm} onDone={onClose} />
      </FormDialog>
      <ServerDialog form={form} servers={servers} onClose={() => setForm(null)} />
    </>
  )
}

function Paste(props: { servers: readonly McpServer[]; onReview: (form: ServerForm) => void; onDone: () => void }) {
  const t = useToolTranslate()
  const action = useAction()
  const [text, setText] = useState('')
  const { busy, run } = useCall()
  const read = useMemo(() => (text.trim() === '' ? null : readConfig(text)), [text])
  const names = props.servers.map(({ name }) => name)
  const ready = (read?.servers ?? []).filter(
    ({ form, blanks }) => blanks.length === 0 && readServerForm(form, names).server !== null,
  )
  const addAll = async () => {
    for (const { form } of ready) {
      const { server } = readServerForm(form, names)
      if (server && !(await action((client) => saveServer(client, server, false)))) break
    }
  }
  const nothing = read !== null && read.json === null && read.servers.length + read.leftOut.length === 0
  return (
    <>
      <Field
        label={t('settings.paste.field')}
        error={read?.json ? jsonFaultText(t, read.json) : nothing ? t('settings.paste.none') : null}
      >
        <TextArea mono rows={7} maxLength={500_000} value={text} onChange={(event) => setText(event.target.value)} />
      </Field>
      {read && read.servers.length > 0 && (
        <section aria-label={t('settings.paste.found', { count: read.servers.length })} className="flex flex-col gap-2">
          <h3 className="font-[540] text-s">{t('settings.paste.found', { count: read.servers.length })}</h3>
          <ul className="flex flex-col gap-2">
            {read.servers.map((one) => (
              <Found
                key={one.form.name}
                found={one}
                known={names.some((name) => name.toLowerCase() === one.form.name.trim().toLowerCase())}
                onReview={() => props.onReview(one.form)}
              />
            ))}
          </ul>
        </section>
      )}
      {read && read.leftOut.length > 0 && (
        <ul className="list-disc ps-5 text-s text-warn">
          {read.leftOut.map(({ name, why }) => (
            <li key={name}>
              {t('settings.paste.skipped', {
                name: plainText(name) || t('settings.paste.noName'),
                why: t(`settings.paste.why.${why}`),
              })}
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        {ready.length > 1 && (
          <Button busy={busy} onClick={() => run(addAll)}>
            {t('settings.paste.addAll', { count: ready.length })}
          </Button>
        )}
        <Button variant="primary" onClick={props.onDone}>
          {t('settings.paste.done')}
        </Button>
      </div>
    </>
  )
}

function Found({ found, known, onReview }: { found: ReadServer; known: boolean; onReview: () => void }) {
  const t = useToolTranslate()
  const { form, blanks } = found
  const name = plainText(form.name)
  const values = [...form.env, ...form.headers].filter(({ value }) => value !== '').map((row) => row.name)
  return (
    <li className="flex items-start gap-3 rounded-m p-2.5 shadow-[inset_0_0_0_1px_var(--line-strong)]">
      <div className="min-w-0 flex-1 text-s">
        <div className="truncate font-[540]">{name}</div>
        <code dir="ltr" className="block break-all font-mono text-faint text-s [unicode-bidi:isolate]">
          {plainText(form.kind === 'http' ? form.url : commandLine({ command: form.command, args: argsOf(form.args) }))}
        </code>
        {values.length > 0 && (
          <div className="text-faint">{t('settings.paste.secrets', { names: plainText(showNames(values)) })}</div>
        )}
        {blanks.length > 0 && (
          <div className="text-warn">{t('settings.paste.missingValues', { names: plainText(showNames(blanks)) })}</div>
        )}
      </div>
      {known ? (
        <Pill tone="muted">{t('settings.paste.taken')}</Pill>
      ) : (
        <Button size="small" aria-label={t('settings.paste.reviewOf', { name })} onClick={onReview}>
          {t('settings.paste.review')}
        </Button>
      )}
    </li>
  )
}
