import type { ChatParams, Message, ToolRun, ToolSelection } from '../../../src-preload/contract/chat.ts'
import type { AttachedDocument, DocumentToSend } from '../../../src-preload/contract/documents.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { Passage, PassagePlace, PassageToSend, ProjectContext } from '../../../src-preload/contract/projects.ts'
import type { Certainty } from '../../../src-preload/contract/requests.ts'

// Types that chat, tools, media and the request log share, so that none of them imports another.

/** A requested format of a reply that is JSON. */
export type JsonFormat = Exclude<NonNullable<ChatParams['responseFormat']>, { type: 'text' }>

/** What chat needs of other features. `compose/chat.ts` provides it. */
export interface ChatNeighbours {
  /** `tools`, `tool_choice` and `parallel_tool_calls` for a request of this conversation, or an empty object if no tool is enabled. */
  toolsFor(conversationId: string): Record<string, unknown>
  /** The same members for this choice of tools. */
  toolsOf(selection: ToolSelection): Record<string, unknown>
  /** The rows for the tool calls of a complete reply, one for each call. Called within the transaction that ends the reply. */
  callsOf(reply: Message): NewToolRow[]
  /** Called after that transaction, when the rows are stored and the calls may run. */
  called(reply: Message, rows: readonly Message[]): void
  /** Stops all running tool calls of this conversation, as a person's action. Returns how many. */
  stopCalls(conversationId: string): number
  /** The faults of a reply for its requested format, one sentence each. Never rejects. */
  jsonFaults(reply: string, format: JsonFormat): Promise<string[]>
  /** An image as a `data:` URL. @throws StudioError `no_such_item` */
  imageUrl(mediaId: string): Promise<string>
  /** Documents as members of a message. @throws StudioError `bad_input`, `no_such_item` */
  attachDocuments(documents: readonly DocumentToSend[]): AttachedDocument[]
  /** The text of a document, as the model gets it. @throws StudioError `no_such_item` */
  documentText(document: AttachedDocument): string
  /** Passages of pinned files as members of a message, before they are numbered. @throws StudioError `no_such_item` */
  attachPassages(passages: readonly PassageToSend[]): Omit<Passage, 'number'>[]
  /** What the project of a conversation adds to its next message. @throws StudioError `no_such_item`, `cancelled` */
  projectContext(message: {
    conversationId: string
    text: string
    without: readonly PassagePlace[]
  }): Promise<Pick<ProjectContext, 'documents' | 'passages'>>
  /** The cost of an ended request in SC, by its row in the request log. */
  costOf(requestRow: number): { cost: string | null; costIs: Certainty }
  /** The context length of a model of the connection in use, in tokens. Null: unknown. */
  contextOf(model: string): { tokens: number; from: 'person' | 'service' } | null
  /** The least that a prompt costs, SC. `repeated` tokens were sent before and may be cached. Null: unknown price. */
  leastCost(model: string, prompt: { fresh: number; repeated: number }): string | null
  /** Called when the request of a reply has ended. */
  ended(outcome: ReplyOutcome): void
}

/** What the end of a request shows about its model. */
export interface ReplyOutcome {
  /** The client that sent it. */
  upstream: object
  /** The requested model. */
  model: string
  /** What the request contained. */
  sent: { images: boolean; tools: boolean }
  /** Whether any output arrived. */
  replied: boolean
  calledTools: boolean
  /** Null: no failure. */
  problem: Problem | null
  endedAt: string
}

/** A new message of role tool: the result of one call, or the placeholder for it. */
export interface NewToolRow {
  run: ToolRun
  /** The result if the call is settled at once (invalid arguments), else empty. */
  text: string
}

/** What tools need of chat. */
export interface ToolCallsPort {
  /** A message of role tool, or @throws StudioError `no_such_item` */
  toolMessage(messageId: string): Message & { run: ToolRun }
  /** Messages of role tool that are not settled, of one conversation or of all. */
  openCalls(conversationId?: string): (Message & { run: ToolRun })[]
  /** Stores the state of a call, and its result once it is settled, and notifies watchers. The message's status follows the run's state. */
  setRun(messageId: string, run: ToolRun, text: string): void
  /** The rows of the same reply, in order. */
  rowsBeside(messageId: string): (Message & { run: ToolRun })[]
  /** How many consecutive rounds of calls precede this message without a message of the person in between. */
  rounds(messageId: string): number
  /** Sends the results to the same model, as a new reply below the last row of the round. @throws StudioError `busy`, `not_connected` */
  askOn(messageId: string): Promise<{ replyId: string }>
}

/** Whether a call has its final result, which is the text that the model gets. */
export function isSettled(run: ToolRun): boolean {
  return run.state !== 'awaiting' && run.state !== 'by_hand' && run.state !== 'running'
}
