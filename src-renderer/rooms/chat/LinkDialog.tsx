import { AlertDialog } from 'radix-ui'
import { factsOf } from '../../markdown/address.ts'
import { spelled } from '../../markdown/hidden.tsx'
import { useMarkdownWords } from '../../markdown/words.ts'
import { copyText, openAddress } from './actions.ts'
import { useWords } from './words.ts'

/** Shows where a link of a reply leads before the system's browser is asked to open it. */
export function LinkDialog({ address, onClose }: { address: string | null; onClose: () => void }) {
  const words = useWords()
  const host = address === null ? '' : factsOf(address).host
  return (
    <AlertDialog.Root open={address !== null} onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="chat-overlay" />
        <AlertDialog.Content className="chat-dialog">
          <AlertDialog.Title>{words('openLinkTitle')}</AlertDialog.Title>
          <AlertDialog.Description>{words('openLinkText', { host })}</AlertDialog.Description>
          <pre className="chat-raw" dir="ltr">
            {spelled(address ?? '')}
          </pre>
          {address !== null && <Warnings address={address} />}
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

/** What makes an address look like another one. */
function Warnings({ address }: { address: string }) {
  const words = useMarkdownWords()
  const { decoded, user, lookalike, numeric } = factsOf(address)
  const lines = [
    decoded !== null && words('linkDecoded', { name: decoded }),
    lookalike && words('linkLookalike'),
    user !== null && words('linkUser', { user }),
    numeric && words('linkNumeric'),
  ].filter((line) => line !== false)
  if (lines.length === 0) return null
  return (
    <ul className="md-link-facts">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}
