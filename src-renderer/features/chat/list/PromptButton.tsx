import { BookText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../../shared/ui/Button.tsx'
import { openPrompts } from './prompts.ts'

/** Opens the prompt library from the composer. The chosen prompt is inserted at the caret. */
export function PromptButton() {
  const { t } = useTranslation('library')
  return <IconButton icon={BookText} label={t('promptPick')} aria-haspopup="dialog" onClick={() => openPrompts()} />
}
