import { useTranslation } from 'react-i18next'
import { useToolUse } from '../tools/setup.ts'
import { Hint } from './Hint.tsx'
import { useKnownRefusal } from './refusals.ts'

/** A warning beside the next message when its model has refused tools before. */
export function ToolsHint() {
  const { t } = useTranslation('composer')
  const { enabled, choice } = useToolUse()
  const refused = useKnownRefusal('tools')
  if (refused === null || enabled.length === 0 || choice === 'none') return null
  return (
    <div className="composer-tray">
      <Hint>{t('refusedToolsBefore', { model: refused })}</Hint>
    </div>
  )
}
