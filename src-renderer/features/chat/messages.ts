import { useTranslation } from 'react-i18next'
import type { Message } from '../../../src-preload/contract/chat.ts'
import type { ChatText } from '../../i18n/en/chat.ts'
import { showNumber, showSc } from '../../i18n/format.ts'

export { showClock as timeOfDay, showCount as figure, showFull as fullTime } from '../../i18n/format.ts'

export type ChatTranslate = (key: ChatText, values?: Record<string, string | number>) => string

/** Texts of the namespace `chat`. */
export function useChatTranslate(): ChatTranslate {
  const { t } = useTranslation('chat')
  // Passes only values, because i18next compiles its patterns again for each call with other options.
  return (key, values) => t(key, { ...values })
}

/** Milliseconds as seconds with one decimal: `2.1`. */
export const seconds = (ms: number): string => showNumber(Math.max(0, ms) / 1_000, 1)
/** Milliseconds as seconds: `0.38`, with two decimals below ten seconds. */
export const fineSeconds = (ms: number): string => showNumber(ms / 1_000, ms < 10_000 ? 2 : 1)
export const wholeSeconds = (ms: number): string => showNumber(Math.max(0, Math.floor(ms / 1_000)))

/** The cost of a reply, and whether it is estimated. Null when unknown. Each of several choices shows the total. */
export function costText(reply: Pick<Message, 'cost' | 'costIs' | 'params'>, t: ChatTranslate): string | null {
  if (reply.cost === null || reply.costIs === 'unknown') return null
  const amount = t(reply.costIs === 'estimated' ? 'costEstimated' : 'costMeasured', { amount: showSc(reply.cost) })
  const choices = reply.params?.n ?? 1
  return choices > 1 ? t('costOfAll', { amount, choices }) : amount
}
