import { factsOf } from '../../shared/markdown/address.ts'
import { spelled } from '../../shared/markdown/hiddenCharacters.tsx'
import { useMarkdownTexts } from '../../shared/markdown/messages.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Dialog } from '../../shared/ui/Dialog.tsx'
import { copyText, openAddress } from './actions.ts'
import { useChatTranslate } from './messages.ts'

/** Shows where a link of a reply leads before the system's browser is asked to open it. */
export function LinkDialog({ address, onClose }: { address: string | null; onClose: () => void }) {
  const words = useChatTranslate()
  if (address === null) return <Dialog open={false} onClose={onClose} title="" />
  return (
    <Dialog
      open
      alert
      onClose={onClose}
      title={words('openLinkTitle')}
      about={words('openLinkText', { host: factsOf(address).host })}
      footer={
        <>
          <Button onClick={() => void copyText(address)}>{words('copyAddress')}</Button>
          <span className="flex-1" />
          <Button onClick={onClose}>{words('cancel')}</Button>
          <Button
            look="go"
            onClick={() => {
              onClose()
              void openAddress(address)
            }}
          >
            {words('openLink')}
          </Button>
        </>
      }
    >
      <pre className="chat-raw" dir="ltr">
        {spelled(address)}
      </pre>
      <Warnings address={address} />
    </Dialog>
  )
}

/** What makes an address look like another one. */
function Warnings({ address }: { address: string }) {
  const words = useMarkdownTexts()
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
