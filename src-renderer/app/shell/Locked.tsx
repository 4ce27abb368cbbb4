import { Lock } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../shared/ui/EmptyState.tsx'

/** Shown when the web host does not accept this page and has never sent data to it. */
export function Locked() {
  const { t } = useTranslation('shell')
  return (
    <main className="flex h-full">
      <EmptyState icon={Lock} title={t('status.unauthorizedTitle')}>
        {t('status.unauthorizedAbout')}
      </EmptyState>
    </main>
  )
}
