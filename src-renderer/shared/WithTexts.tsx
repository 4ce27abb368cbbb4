import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { TextGroup } from '../i18n/groups.ts'
import { useTexts } from '../i18n/index.ts'
import { Notice } from './ui/Notice.tsx'

/** Shows its children when their texts are loaded. Nothing until then, for the few milliseconds of a file, and a notice when it can't be loaded. */
export function WithTexts({ of, children }: { of: readonly TextGroup[]; children: ReactNode }) {
  const { t } = useTranslation('common')
  const { state, retry } = useTexts(of)
  if (state === 'ready') return children
  if (state === 'loading') return null
  return (
    <Notice kind="bad" role="alert" className="m-3" action={{ label: t('pageTexts.retry'), onClick: retry }}>
      {t('pageTexts.failed')}
    </Notice>
  )
}
