import { AlertDialog } from 'radix-ui'
import { copyText, openAddress } from './actions.ts'
import { useWords } from './words.ts'

/** Shows where a link of a reply leads before the system's browser is asked to open it. */
export function LinkDialog({ address, onClose }: { address: string | null; onClose: () => void }) {
  const words = useWords()
  const url = address === null ? null : new URL(address)
  const host = url?.host || url?.pathname || ''
  return (
    <AlertDialog.Root open={address !== null} onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="chat-overlay" />
        <AlertDialog.Content className="chat-dialog">
          <AlertDialog.Title>{words('openLinkTitle')}</AlertDialog.Title>
          <AlertDialog.Description>{words('openLinkText', { host })}</AlertDialog.Description>
          <pre className="chat-raw">{address}</pre>
          <div className="chat-dialog-foot">
            <button type="button" className="chat-btn" onClick={() => void copyText(address ?? '')}>
              {words('copyAddress')}
            </button>
            <span />
            <AlertDialog.Cancel className="chat-btn">{words('cancel')}</AlertDialog.Cancel>
            <AlertDialog.Action
              className="chat-btn chat-go"
              onClick={() => {
                if (address !== null) void openAddress(address)
              }}
            >
              {words('openLink')}
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
