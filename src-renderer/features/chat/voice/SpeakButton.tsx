import { Square, Volume2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ActionButton } from '../actionButtons.tsx'
import { speak, stopReading, usePlayer } from './player.ts'

/** Reads a message aloud, or stops reading. */
export function SpeakButton({ messageId, text }: { messageId: string; text: string }) {
  const { t } = useTranslation('composer')
  const reads = usePlayer(({ now }) => now?.messageId === messageId && now.state !== 'failed')
  const label = t(reads ? 'stopReading' : 'readAloud')
  return (
    <ActionButton
      icon={reads ? Square : Volume2}
      label={label}
      action="speak"
      onClick={() => (reads ? stopReading() : void speak(messageId, text))}
    />
  )
}
