import type { ChatFeature } from '../features/chat/chat.ts'
import { leaveOut } from '../features/chat/context/leaveOut.ts'
import type { ContextMeter } from '../features/chat/context/measure.ts'
import type { Summaries } from '../features/chat/context/summarise.ts'
import { useSummary } from '../features/chat/context/useSummary.ts'
import { done, type Implementer } from './implementer.ts'

/** What the procedures about the context need. */
export interface ContextFeature {
  chat: ChatFeature
  meter: ContextMeter
  summaries: Summaries
}

/** Procedures about what a request contains. */
export const contextHandlers = (os: Implementer['context'], { chat, meter, summaries }: ContextFeature) => ({
  measure: os.measure.handler(({ input }) => meter.measure(input)),
  leaveOut: os.leaveOut.handler(({ input }) => leaveOut(chat, input)),
  planSummary: os.planSummary.handler(({ input }) => summaries.plan(input)),
  summarise: os.summarise.handler(({ input }) => summaries.summarise(input)),
  summary: os.summary.handler(({ input }) => summaries.summary(input.summaryId)),
  discardSummary: os.discardSummary.handler(({ input }) => done(summaries.discard(input.summaryId))),
  useSummary: os.useSummary.handler(({ input }) => useSummary(chat, input, summaries.find(input.summaryId))),
})
