import '../../../../src-renderer/styles.css'
import '../../../../src-renderer/markdown/scale.css'
import '../../../../src-renderer/rooms/chat/styles.ts'
import './window.css'
import { createRoot } from 'react-dom/client'
import { I18nextProvider } from 'react-i18next'
import { followKeys } from '../../../../src-renderer/commands/dispatch.ts'
import { i18n, startWords } from '../../../../src-renderer/i18n/index.ts'
import { openChat, startChat } from '../../../../src-renderer/rooms/chat/actions.ts'
import { offerChatCommands } from '../../../../src-renderer/rooms/chat/commands.ts'
import { ChatInspector } from '../../../../src-renderer/rooms/chat/Inspector.tsx'
import { ChatList } from '../../../../src-renderer/rooms/chat/List.tsx'
import { ChatStage } from '../../../../src-renderer/rooms/chat/Stage.tsx'
import { useChat } from '../../../../src-renderer/stores/chat.ts'
import { useFind } from '../../../../src-renderer/stores/chat-find.ts'
import { useStage } from '../../../../src-renderer/stores/chat-stage.ts'
import { libraryStore } from '../../../../src-renderer/stores/library.ts'
import { StudioContext } from '../../../../src-renderer/studio.ts'
import { TooltipProvider } from '../../../../src-renderer/ui/Tooltip.tsx'
import { sceneCore } from './core.ts'
import { moreScenes } from './moreScenes.ts'
import { conversation, conversationId, message, others, scenes } from './scenes.ts'

const asked = new URLSearchParams(location.search)
document.documentElement.dataset.theme = asked.get('theme') ?? 'light'
const scene = asked.get('scene') ?? 'empty'

const core = sceneCore(['writer-large', 'writer-small', 'reasoner', 'mirror', 'vision', 'tool-caller'])
for (const one of others()) core.put(one, [])
const plain = scenes[scene]
const made = moreScenes[scene] ?? (plain && (() => ({ messages: plain() })))
if (made) {
  const { messages, ...more } = made()
  const running = messages.some((each) => each.status === 'streaming' || each.status === 'pending')
  core.put(conversation({ messages: messages.length, running }), messages, more)
}

await startWords()
startChat({ client: core.client })
offerChatCommands()
followKeys(new AbortController().signal)
createRoot(document.querySelector('#root') ?? document.body).render(
  <StudioContext value={core.client}>
    <I18nextProvider i18n={i18n}>
      <TooltipProvider>
        <div className="window">
          <aside>
            <ChatList />
          </aside>
          <main>
            <ChatStage />
          </main>
          <aside>
            <ChatInspector />
          </aside>
        </div>
      </TooltipProvider>
    </I18nextProvider>
  </StudioContext>,
)
if (made && !asked.has('closed')) openChat(conversationId)

/** What the tests reach into the page for. */
const harness = { core, openChat, useChat, useStage, useFind, libraryStore, conversationId, message }
export type Harness = typeof harness
Object.assign(globalThis, { harness })
