import { EyeOff, Gauge, NotebookText } from 'lucide-react'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import type { ContextError } from '../../../../src-preload/contract/contextError.ts'
import { i18n } from '../../../i18n/index.ts'
import { useChat } from '../../../stores/chat.ts'
import { SmallButton } from '../actionButtons.tsx'
import { askToSummarise, leaveOut, showContext } from './actions.ts'
import { useMeasure } from './measure.ts'
import { useContextTexts } from './texts.ts'

/** The texts of a failure because the chat is longer than the model's context. */
export function contextWords({ model }: Message, { limit }: ContextError): { title: string; meaning: string } {
  const t = i18n.getFixedT(null, 'context')
  return {
    title: t('fullTitle', { model: model ?? i18n.t('chat:assistant') }),
    meaning: limit === null ? t('fullUnknown') : t('fullKnown', { count: limit }),
  }
}

/** The ways to make space, for the last reply of the path. */
export function ContextFaultActions({ reply }: { reply: Message }) {
  const t = useContextTexts()
  const isLast = useChat(({ open }) => open?.ids.at(-1) === reply.id)
  const oldest = useMeasure()?.oldest ?? null
  if (!isLast) return null
  return (
    <>
      {oldest && (
        <>
          <SmallButton
            icon={EyeOff}
            label={t('leaveOutOldest', { count: oldest.messages })}
            onClick={() => void leaveOut(oldest.upTo, true, true)}
          />
          <SmallButton icon={NotebookText} label={t('summariseOldest')} onClick={() => askToSummarise(oldest.upTo)} />
        </>
      )}
      <SmallButton icon={Gauge} label={t('open')} onClick={showContext} />
    </>
  )
}
