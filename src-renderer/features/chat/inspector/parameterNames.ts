import type { ChatText } from '../../../i18n/en/chat.ts'
import type { NumberSpec } from '../params.ts'

export const paramNames = {
  temperature: 'paramTemperature',
  topP: 'paramTopP',
  maxTokens: 'paramMaxTokens',
  presencePenalty: 'paramPresence',
  frequencyPenalty: 'paramFrequency',
  n: 'paramChoices',
} as const satisfies Record<NumberSpec['name'], ChatText>
