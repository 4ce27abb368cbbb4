import { Bot } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { i18n } from '../../i18n/index.ts'
import { cx } from './cx.ts'

/** The mark of an item that the request of an app made. Nothing for an item of a person. */
export function MadeBy({ app, className }: { app: string | undefined; className?: string }) {
  const { t } = useTranslation('common')
  if (app === undefined) return null
  const words = t('madeBy', { app })
  return (
    <span title={words} className={cx('inline-flex min-w-0 max-w-full items-center gap-1 align-bottom', className)}>
      <Bot aria-hidden size={12} className="shrink-0" />
      <span className="sr-only">{words}</span>
      <span aria-hidden dir="auto" className="truncate">
        {app}
      </span>
    </span>
  )
}

/** The same among the facts of an item: one row, or none. */
export const madeByRow = (app: string | undefined) =>
  app === undefined ? [] : [{ id: 'app', name: i18n.t('common:creator'), value: <bdi dir="auto">{app}</bdi> }]
