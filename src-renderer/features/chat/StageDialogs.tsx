import { ConfirmDialog, Dialog } from '../../shared/ui/Dialog.tsx'
import { useChat } from '../../stores/chat.ts'
import { useStage } from '../../stores/chatPage.ts'
import { DropPlace } from './composer/DropPlace.tsx'
import { RefusedImages } from './composer/RefusedImages.tsx'
import { ContextDialog } from './context/ContextDialog.tsx'
import { SummaryDialog } from './context/SummaryDialog.tsx'
import { PresetDialog } from './inspector/PresetDialog.tsx'
import { ModelList } from './ModelList.tsx'
import { removeMessage, retry } from './messageActions.ts'
import { useChatTranslate } from './messages.ts'
import { PassageDialog } from './projects/PassageDialog.tsx'
import { PassagesDialog } from './projects/Passages.tsx'
import { RawDialog } from './RawDialog.tsx'

const close = (): void => useStage.setState({ dialog: null })

/** The dialogs of the stage, one at a time. */
export function StageDialogs() {
  return (
    <>
      <RetryDialog />
      <RawDialog />
      <PresetDialog />
      <RemoveDialog />
      <RefusedImages />
      <DropPlace />
      <PassagesDialog />
      <PassageDialog />
      <ContextDialog />
      <SummaryDialog />
    </>
  )
}

function RetryDialog() {
  const t = useChatTranslate()
  const dialog = useStage((state) => state.dialog)
  const replyId = dialog?.kind === 'retryWith' ? dialog.replyId : null
  const pick = (model: string): void => {
    // Closes first, because a question may follow.
    close()
    if (replyId === null) return
    // The next message needs the same model, for example when the former one refuses images.
    useChat.setState({ model })
    retry(replyId, [model])
  }
  return (
    <Dialog open={replyId !== null} onClose={close} title={t('retryWithTitle')} about={t('retryWithAbout')}>
      <div className="chat-menu chat-models-flat">
        <ModelList picked={[]} onPick={pick} />
      </div>
    </Dialog>
  )
}

/** Asks for confirmation when deleting a message also deletes messages below it. */
function RemoveDialog() {
  const t = useChatTranslate()
  const dialog = useStage((state) => state.dialog)
  const asked = dialog?.kind === 'removeMessage' ? dialog : null
  const remove = (): void => {
    if (asked) void removeMessage(asked.messageId, asked.below)
    close()
  }
  return (
    <ConfirmDialog
      open={asked !== null}
      onClose={close}
      title={t('removeMessageTitle')}
      about={t('removeMessageAbout', { count: asked?.below ?? 0 })}
      confirm={t('remove')}
      onConfirm={remove}
    />
  )
}
