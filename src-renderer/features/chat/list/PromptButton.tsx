import { BookText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../../shared/ui/Button.tsx'
import { openPrompts } from './prompts.ts'

/** For the composer's foot: the prompt library, whose choice is written at the composer's caret. */
export function PromptButton() {
  const { t } = useTranslation('library')
  return <IconButton icon={BookText} label={t('promptPick')} aria-haspopup="dialog" onClick={() => openPrompts()} />
}
