import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { App } from '../../../../src-preload/contract/apps.ts'
import { joinSentences, showNames } from '../../../i18n/format.ts'
import { Checkbox } from '../../../shared/ui/Field.tsx'

/** What the choice shows of an app. */
export type AppTools = Pick<App, 'tools' | 'toolOutput' | 'toolInputs'>

interface ChoiceProps {
  app: AppTools
  checked: boolean
  onChange: (checked: boolean) => void
}

/** Whether a program also gets the studio's MCP server, and what its app may do with it. */
export function ToolsChoice({ app, checked, onChange }: ChoiceProps) {
  const { t } = useTranslation('programs')
  const about = useId()
  const { tools, toolOutput, toolInputs } = app
  return (
    <div className="flex flex-col gap-0.5">
      <Checkbox
        label={t('tools.add')}
        checked={checked}
        aria-describedby={about}
        onChange={(event) => onChange(event.target.checked)}
      />
      <p id={about} className="break-words ps-[22px] text-s text-soft">
        {joinSentences([
          t('tools.about'),
          checked && !tools && t('tools.allows'),
          checked && (toolOutput === null ? t('tools.savedHere') : t('tools.saved', { folder: toolOutput })),
          checked &&
            (toolInputs.length === 0 ? t('tools.readsNone') : t('tools.reads', { folders: showNames(toolInputs) })),
        ])}
      </p>
    </div>
  )
}
