import { MicOff, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../ui/Button.tsx'
import type { MicTrouble } from './recorder.ts'

/** Why recording did not start, with a button to try again where that can help. */
export function MicrophoneNotice(props: {
  trouble: MicTrouble
  onRetry: () => void
  onDismiss: () => void
  className: string
}) {
  const { t } = useTranslation('audio')
  return (
    <div role="alert" className={props.className}>
      <MicOff aria-hidden size={15} className="shrink-0" />
      <span className="min-w-[200px] flex-1">{t(`microphone.${props.trouble}`)}</span>
      {props.trouble !== 'unsupported' && (
        <Button size="small" onClick={props.onRetry}>
          {t('tryAgain')}
        </Button>
      )}
      <IconButton icon={X} size="small" label={t('dismiss')} onClick={props.onDismiss} />
    </div>
  )
}
