import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import type { Message } from '../../../src-preload/contract/chat.ts'
import { i18n, isRightToLeft } from '../../i18n/index.ts'
import { ActionButton } from './actionButtons.tsx'
import { walk } from './messageActions.ts'
import { useChatTranslate } from './messages.ts'

/** Switches between branches: `‹ 2 / 3 ›`. Arrow keys also work. `isPart`: of a step within a reply. */
export function Siblings({ message, isPart = false }: { message: Message; isPart?: boolean }) {
  const t = useChatTranslate()
  const { sibling, siblings } = message
  if (siblings < 2) return null
  const byKey = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft') return
    event.preventDefault()
    const onward = isRightToLeft(i18n.language) ? 'ArrowLeft' : 'ArrowRight'
    void walk(message, event.key === onward ? 1 : -1)
  }
  const kind = isPart ? 'siblingPart' : message.role === 'assistant' ? 'sibling' : 'siblingTurn'
  const place = t(kind, { sibling, siblings })
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is a part of a form
    <span className="chat-siblings" role="group" aria-label={place} onKeyDown={byKey}>
      <ActionButton
        icon={ChevronLeft}
        label={t('siblingPrevious')}
        action="previous"
        disabled={sibling <= 1}
        onClick={() => void walk(message, -1)}
      />
      <span title={place}>
        {sibling} / {siblings}
      </span>
      <ActionButton
        icon={ChevronRight}
        label={t('siblingNext')}
        action="next"
        disabled={sibling >= siblings}
        onClick={() => void walk(message, 1)}
      />
    </span>
  )
}
