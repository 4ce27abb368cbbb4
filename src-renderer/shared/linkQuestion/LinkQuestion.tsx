import './linkQuestion.css'
import { useTranslation } from 'react-i18next'
import { spelled } from '../markdown/hiddenCharacters.tsx'
import { Button } from '../ui/Button.tsx'

/** Shows where a link leads before the browser opens it, in a place without space for a dialog. */
export function LinkQuestion(props: { address: string; onOpen: (address: string) => void; onEnd: () => void }) {
  const { t } = useTranslation('quick')
  const { address, onOpen, onEnd } = props
  return (
    <div role="alertdialog" aria-label={t('link')} className="link-question">
      <p>{t('link')}</p>
      <code dir="ltr">{spelled(address)}</code>
      <Button
        variant="primary"
        onClick={() => {
          onEnd()
          onOpen(address)
        }}
      >
        {t('openLink')}
      </Button>
      <Button onClick={onEnd}>{t('cancel')}</Button>
    </div>
  )
}
