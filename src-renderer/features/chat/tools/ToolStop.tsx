import { Square } from 'lucide-react'
import { useState } from 'react'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { stopCall } from './actions.ts'

/** Stops a running call. Says that earlier effects of the tool cannot be undone. */
export function ToolStop({ messageId }: { messageId: string }) {
  const t = useToolTranslate()
  const [stopping, setStopping] = useState(false)
  const stop = async () => {
    setStopping(true)
    await stopCall(messageId)
    setStopping(false)
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button icon={Square} size="small" busy={stopping} onClick={() => void stop()}>
        {t(stopping ? 'card.stopping' : 'card.stop')}
      </Button>
      <span className="text-faint text-s">{t('card.stopHint')}</span>
    </div>
  )
}
