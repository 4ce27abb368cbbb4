import { useTranslation } from 'react-i18next'
import { Button } from '../../../shared/ui/Button.tsx'
import { Dialog } from '../../../shared/ui/Dialog.tsx'
import { useChat } from '../../../stores/chat.ts'
import { useStage } from '../../../stores/chatPage.ts'

/** Asks before an image goes to a model that refused one earlier: the request may fail again. */
export function RefusedImages() {
  const { t } = useTranslation('composer')
  const asked = useStage(({ dialog }) => (dialog?.kind === 'refusedImages' ? dialog : null))
  const onClose = (): void => useStage.setState({ dialog: null })
  const send = (): void => {
    onClose()
    asked?.run()
  }
  const choose = (): void => {
    onClose()
    // Opens the model list after the dialog has restored the focus, because the list closes when the focus leaves it.
    const picking = useChat.getState().compared.length > 1 ? 'several' : 'one'
    requestAnimationFrame(() => useStage.setState({ picking }))
  }
  return (
    <Dialog
      open={asked !== null}
      alert
      onClose={onClose}
      title={t('refusedTitle', { model: asked?.model ?? '' })}
      about={t('refusedAbout')}
      footer={
        <>
          <Button onClick={send}>{t('sendAnyway')}</Button>
          <Button variant="primary" onClick={choose}>
            {t('chooseOther')}
          </Button>
        </>
      }
    />
  )
}
