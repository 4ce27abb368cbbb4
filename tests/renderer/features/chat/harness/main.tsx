import '../../../../../src-renderer/features/chat/styles.ts'
import './window.css'
import { createRoot } from 'react-dom/client'
import { I18nextProvider } from 'react-i18next'
import { openChat, startChat } from '../../../../../src-renderer/features/chat/actions.ts'
import { offerChatCommands } from '../../../../../src-renderer/features/chat/commands.ts'
import { ChatInspector } from '../../../../../src-renderer/features/chat/Inspector.tsx'
import { ChatList } from '../../../../../src-renderer/features/chat/List.tsx'
import { ChatStage } from '../../../../../src-renderer/features/chat/Stage.tsx'
import { i18n, startWords } from '../../../../../src-renderer/i18n/index.ts'
import { followKeys } from '../../../../../src-renderer/shared/commands/dispatch.ts'
import { StudioContext } from '../../../../../src-renderer/shared/studioContext.ts'
import { TooltipProvider } from '../../../../../src-renderer/shared/ui/Tooltip.tsx'
import { useChat } from '../../../../../src-renderer/stores/chat.ts'
import { useFind } from '../../../../../src-renderer/stores/chatFind.ts'
import { useStage } from '../../../../../src-renderer/stores/chatPage.ts'
import { libraryStore } from '../../../../../src-renderer/stores/library.ts'
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
startChat(core.client)
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

/** What tests use inside the page. */
const harness = { core, openChat, useChat, useStage, useFind, libraryStore, conversationId, message }
export type Harness = typeof harness
Object.assign(globalThis, { harness })
