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
      <h2 className="flex items-center gap-2">
        <span className="flex-1">{t('title')}</span>
        <IconButton
          icon={Settings}
          size="small"
          label={t('pick.manage')}
          onClick={() => navigate({ page: 'settings', id: 'tools' })}
        />
      </h2>
      <ToolPicker />
    </section>
  )
}
