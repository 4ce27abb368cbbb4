import { EyeOff, Gauge, NotebookText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import type { ContextError } from '../../../../src-preload/contract/contextError.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { detailsOf, serviceMessage } from '../../../shared/errors/details.ts'
import { Notice } from '../../../shared/ui/Notice.tsx'
import { useChat } from '../../../stores/chat.ts'
import { SmallButton } from '../actionButtons.tsx'
import { figure, useChatTranslate } from '../messages.ts'
import { askToSummarise, leaveOut, showContext } from './actions.ts'
import { useMeasure } from './measure.ts'
import { useContextTexts } from './texts.ts'

/** A failure because the chat is longer than the model's context. */
export function ContextFault({ reply, problem, error }: { reply: Message; problem: Problem; error: ContextError }) {
  const t = useContextTexts()
  const chat = useChatTranslate()
  const { t: problems } = useTranslation(['problems', 'common'])
  const said = serviceMessage(problem)
  return (
    <Notice
      kind="bad"
      title={t('fullTitle', { model: reply.model ?? chat('assistant') })}
      details={{ label: problems('common:details'), text: detailsOf(problem) }}
    >
      {error.limit === null ? t('fullUnknown') : t('fullKnown', { limit: figure(error.limit) })}
      {said !== null && (
        <p className="mt-1 break-words" dir="auto">
          {problems('problems:said', { message: said })}
        </p>
      )}
    </Notice>
  )
}

/** The ways to make space, below the last reply of the path. */
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
