import type { Message, ToolRun } from '../../../src-preload/contract/chat.ts'
import type { Certainty } from '../../../src-preload/contract/requests.ts'

// The words that chat, its tools, its pictures and the books share, so that none of these rooms needs to know another.

/** What chat asks of the rooms beside it; `core.ts` ties them together. */
export interface ChatNeighbours {
  /** `tools`, `tool_choice`, `parallel_tool_calls` for a request of this conversation; empty where none is switched on. */
  toolsFor(conversationId: string): Record<string, unknown>
  /** A reply ended complete and calls tools: what stands under it now, one row a call. Called within the transaction that ends the reply. */
  callsOf(reply: Message): NewToolRow[]
  /** After that transaction: the rows stand and can be worked on. */
  called(reply: Message, rows: readonly Message[]): void
  /** Everything that runs for this conversation's calls is to end now, by the person. */
  stopCalls(conversationId: string): number
  /** The picture as a `data:` URL. @throws StudioError `no_such_item` */
  imageUrl(mediaId: string): Promise<string>
  /** What a request cost, from its row in the books, once it has ended. */
  costOf(requestRow: number): { cost: string | null; costIs: Certainty }
}

/** A message of role tool that is to be: the answer to one call, or the place where it will come. */
export interface NewToolRow {
  run: ToolRun
  /** The result where it is settled at once (arguments that are not valid); else empty. */
  text: string
}

/** What the tools ask of chat. */
export interface ToolCallsPort {
  /** A message of role tool, or @throws StudioError `no_such_item` */
  toolMessage(messageId: string): Message & { run: ToolRun }
  /** Messages of role tool that are not settled: of one conversation, or all of them. */
  openCalls(conversationId?: string): (Message & { run: ToolRun })[]
  /** Writes how a call stands, and its result once it is settled, and tells who watches. The message's status follows the run's state. */
  setRun(messageId: string, run: ToolRun, text: string): void
  /** The rows of the same reply, in order. */
  rowsBeside(messageId: string): (Message & { run: ToolRun })[]
  /** How many rounds of calls came one after another without a turn of the person between, up to this message. */
  rounds(messageId: string): number
  /** Asks the same model on, below the last row of its round. @throws StudioError `busy`, `not_connected` */
  askOn(messageId: string): Promise<{ replyId: string }>
}

/** Settled: its text is what the model gets. */
export function isSettled(run: ToolRun): boolean {
  return run.state !== 'awaiting' && run.state !== 'by_hand' && run.state !== 'running'
}
