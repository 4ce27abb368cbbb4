import { useTranslation } from 'react-i18next'
import { useApp } from '../../../stores/app.ts'
import { modelsToAsk, useChat } from '../../../stores/chat.ts'
import { documentsOf, useDocuments } from '../documents/draftDocuments.ts'
import { useBusy } from '../hooks.ts'
import { useChatTranslate } from '../messages.ts'
import { picturesOf, usePictures } from './draftPictures.ts'

const longest = 1_000_000

/** Why nothing can be sent now, as text. Null when sending is possible. */
export function useBlocked(typed: string, draft: string): string | null {
  const tChat = useChatTranslate()
  const { t } = useTranslation(['composer', 'problems'])
  const running = useBusy()
  const sending = useChat((state) => state.sending !== null)
  const known = useChat((state) => modelsToAsk(state).length > 0)
  const problem = useApp(({ app }) => (app?.connection.state === 'failed' ? app.connection.problem : null))
  const pictures = usePictures((state) => picturesOf(state, draft))
  const { t: tDocuments } = useTranslation('documents')
  const documents = useDocuments((state) => documentsOf(state, draft))
  if (sending) return tChat('sendingNow')
  if (running) return tChat('needEnd')
  // Without a connection there are no models to choose from.
  if (!known) return problem ? t(`problems:kinds.${problem.kind}.title`) : tChat('needModel')
  if (pictures.some(({ state }) => state === 'failed')) return t('picturesFailed')
  if (pictures.some(({ state }) => state !== 'ready')) return t('picturesGoing')
  if (documents.some(({ state }) => state === 'failed')) return tDocuments('failed')
  if (documents.some(({ state }) => state !== 'ready')) return tDocuments('going')
  if (typed.trim() === '' && pictures.length === 0 && documents.length === 0) return tChat('needText')
  return typed.length > longest ? tChat('needShorter') : null
}
