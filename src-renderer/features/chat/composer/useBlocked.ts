import { useTranslation } from 'react-i18next'
import { modelsToAsk, useChat } from '../../../stores/chat.ts'
import { useBusy } from '../hooks.ts'
import { useChatTranslate } from '../messages.ts'
import { picturesOf, usePictures } from './draftPictures.ts'

const longest = 1_000_000

/** Why nothing can be sent now, in words; null when it can. */
export function useBlocked(typed: string, draft: string): string | null {
  const words = useChatTranslate()
  const { t } = useTranslation('composer')
  const running = useBusy()
  const sending = useChat((state) => state.sending !== null)
  const known = useChat((state) => modelsToAsk(state).length > 0)
  const pictures = usePictures((state) => picturesOf(state, draft))
  if (sending) return words('sendingNow')
  if (running) return words('needEnd')
  if (!known) return words('needModel')
  if (pictures.some(({ state }) => state === 'failed')) return t('picturesFailed')
  if (pictures.some(({ state }) => state !== 'ready')) return t('picturesGoing')
  if (typed.trim() === '' && pictures.length === 0) return words('needText')
  return typed.length > longest ? words('needShorter') : null
}
