import './tokens.css'
import { createInstance } from 'i18next'
import { createRoot } from 'react-dom/client'
import { I18nextProvider, initReactI18next } from 'react-i18next'
import { chat } from '../../../../src-renderer/i18n/en.chat.ts'
import { openChat } from '../../../../src-renderer/rooms/chat/actions.ts'
import { ChatInspector, ChatList, ChatStage, startChat } from '../../../../src-renderer/rooms/chat/ChatRoom.tsx'
import { useChat } from '../../../../src-renderer/stores/chat.ts'
import { sceneCore } from './core.ts'
import { conversation, conversationId, message, others, scenes } from './scenes.ts'

const asked = new URLSearchParams(location.search)
document.documentElement.dataset.theme = asked.get('theme') ?? 'light'
const scene = asked.get('scene') ?? 'empty'

const core = sceneCore(['writer-large', 'writer-small', 'reasoner', 'mirror', 'vision', 'tool-caller'])
for (const one of others()) core.put(one, [])
const made = scenes[scene]
if (made) {
  const messages = made()
  const running = messages.some((each) => each.status === 'streaming' || each.status === 'pending')
  core.put(conversation({ messages: messages.length, running }), messages)
}

const i18n = createInstance()
await i18n
  .use(initReactI18next)
  .init({ lng: 'en', resources: { en: { chat } }, ns: ['chat'], interpolation: { escapeValue: false } })

let settings = 0
startChat({ client: core.client, openSettings: () => void settings++ })
createRoot(document.querySelector('#root') ?? document.body).render(
  <I18nextProvider i18n={i18n}>
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
  </I18nextProvider>,
)
if (made && !asked.has('closed')) openChat(conversationId)

/** What the tests reach into the page for. */
const harness = { core, openChat, useChat, conversationId, message, settingsOpened: () => settings }
export type Harness = typeof harness
Object.assign(globalThis, { harness })
