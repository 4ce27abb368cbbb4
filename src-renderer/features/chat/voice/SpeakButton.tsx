import { Square, Volume2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { speak, stopReading, usePlayer } from './player.ts'

/** Reads a message aloud, or stops reading. */
export function SpeakButton({ messageId, text }: { messageId: string; text: string }) {
  const { t } = useTranslation('composer')
  const reads = usePlayer(({ now }) => now?.messageId === messageId && now.state !== 'failed')
  const label = t(reads ? 'stopReading' : 'readAloud')
  const Icon = reads ? Square : Volume2
  return (
    <button
      type="button"
      className="chat-icon"
      data-action="speak"
      aria-label={label}
      title={label}
      onClick={() => (reads ? stopReading() : void speak(messageId, text))}
    >
      <Icon aria-hidden />
    </button>
  )
}
