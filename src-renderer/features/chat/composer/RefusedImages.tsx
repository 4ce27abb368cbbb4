import { useTranslation } from 'react-i18next'
import { Button } from '../../../shared/ui/Button.tsx'
import { Dialog } from '../../../shared/ui/Dialog.tsx'
import { useChat } from '../../../stores/chat.ts'
import { useStage } from '../../../stores/chatPage.ts'

interface RefusedImagesProps {
  /** The model that refused images before. Null: the question is closed. */
  model: string | null
  onClose: () => void
  onSend: () => void
}

/** Asks before an image goes to a model that refused one earlier: the request may fail again. */
export function RefusedImages({ model, onClose, onSend }: RefusedImagesProps) {
  const { t } = useTranslation('composer')
  const choose = (): void => {
    onClose()
    // Opens the model list after the dialog has restored the focus, because the list closes when the focus leaves it.
    const picking = useChat.getState().compared.length > 1 ? 'several' : 'one'
    requestAnimationFrame(() => useStage.setState({ picking }))
  }
  return (
    <Dialog
      open={model !== null}
      alert
      onClose={onClose}
      title={t('refusedTitle', { model: model ?? '' })}
      about={t('refusedAbout')}
      footer={
        <>
          <Button onClick={onSend}>{t('sendAnyway')}</Button>
          <Button variant="primary" onClick={choose}>
            {t('chooseOther')}
          </Button>
        </>
      }
    />
  )
}
