import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { cx } from '../../../shared/ui/cx.ts'
import type { SchemaFault } from './schema.ts'

/** Upper limit of shown faults. */
const most = 4

/** The faults of a schema, one sentence each, with their path. */
export function SchemaMessages({ faults, tone }: { faults: readonly SchemaFault[]; tone: 'bad' | 'warn' }) {
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
