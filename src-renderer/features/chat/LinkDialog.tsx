import { factsOf } from '../../shared/markdown/address.ts'
import { spelled } from '../../shared/markdown/hiddenCharacters.tsx'
import { useMarkdownTexts } from '../../shared/markdown/messages.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Dialog } from '../../shared/ui/Dialog.tsx'
import { copyText, openAddress } from './actions.ts'
import { useChatTranslate } from './messages.ts'

/** Shows where a link of a reply leads before the system's browser opens it. */
export function LinkDialog({ address, onClose }: { address: string | null; onClose: () => void }) {
  const t = useChatTranslate()
  if (address === null) return <Dialog open={false} onClose={onClose} title="" />
  return (
    <Dialog
      open
      alert
      onClose={onClose}
      title={t('openLinkTitle')}
      about={t('openLinkText', { host: factsOf(address).host })}
      footer={
        <>
          <Button onClick={() => void copyText(address)}>{t('copyAddress')}</Button>
          <span className="flex-1" />
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button
            variant="primary"
            onClick={() => {
              onClose()
              void openAddress(address)
            }}
          >
            {t('openLink')}
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

/** Properties that make an address look like another one. */
function Warnings({ address }: { address: string }) {
  const t = useMarkdownTexts()
  const { decoded, user, lookalike, numeric } = factsOf(address)
  const lines = [
    decoded !== null && t('linkDecoded', { name: decoded }),
    lookalike && t('linkLookalike'),
    user !== null && t('linkUser', { user }),
    numeric && t('linkNumeric'),
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
