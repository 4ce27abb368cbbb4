import { ConversationFacts } from './inspector/ConversationFacts.tsx'
import { Instructions } from './inspector/Instructions.tsx'
import { Parameters } from './inspector/Parameters.tsx'
import { ReplySection } from './inspector/ReplyFacts.tsx'
import { ToolsSection } from './tools/ToolsSection.tsx'

/** The inspector: instructions and parameters of the next reply, then facts of a reply and of the chat. */
export function ChatInspector() {
  return (
    <div className="chat-inspector">
      <Instructions />
      <Parameters />
      <ToolsSection />
      <ReplySection />
      <ConversationFacts />
    </div>
  )
}
