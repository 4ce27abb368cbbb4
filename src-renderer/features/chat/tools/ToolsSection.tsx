import { Settings } from 'lucide-react'
import { navigate } from '../../../shared/navigation.ts'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { IconButton } from '../../../shared/ui/Button.tsx'
import { ToolPicker } from './ToolPicker.tsx'

/** The tools section of the inspector. */
export function ToolsSection() {
  const t = useToolTranslate()
  return (
    <section aria-label={t('title')}>
      <header>
        <h2>{t('title')}</h2>
        <IconButton
          icon={Settings}
          size="small"
          label={t('pick.manage')}
          onClick={() => navigate({ page: 'settings', id: 'tools' })}
        />
      </header>
      <ToolPicker />
    </section>
  )
}
