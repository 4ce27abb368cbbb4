import { useTranslation } from 'react-i18next'
import { SessionTable } from '../../shared/sessions/SessionTable.tsx'
import { openRequest } from './actions.ts'

/** The sessions of all apps, with what each lost of the service's cache. */
export function SessionsSection({ open }: { open: number | null }) {
  const { t } = useTranslation('sessions')
  return (
    <div className="stage-column usage-body">
      <p className="max-w-[680px] text-soft">{t('about')}</p>
      <SessionTable key={open} open={open} onRequest={openRequest} />
    </div>
  )
}
