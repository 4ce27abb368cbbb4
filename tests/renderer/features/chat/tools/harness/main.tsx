import './window.css'
import { type ReactNode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import type { AppState } from '../../../../../../src-preload/contract/app.ts'
import { setClient } from '../../../../../../src-renderer/features/chat/client.ts'
import { AddMenu } from '../../../../../../src-renderer/features/chat/composer/AddMenu.tsx'
import { ToolCalls, ToolCard } from '../../../../../../src-renderer/features/chat/tools/ToolCard.tsx'
import { ToolsSection } from '../../../../../../src-renderer/features/chat/tools/ToolsSection.tsx'
import { settingsPage } from '../../../../../../src-renderer/features/settings/index.tsx'
import { startWords } from '../../../../../../src-renderer/i18n/index.ts'
import { StudioContext } from '../../../../../../src-renderer/shared/studioContext.ts'
import { Toasts } from '../../../../../../src-renderer/shared/ui/Toast.tsx'
import { TooltipProvider } from '../../../../../../src-renderer/shared/ui/Tooltip.tsx'
import { appStore, useApp, withoutToast } from '../../../../../../src-renderer/stores/app.ts'
import { useChat } from '../../../../../../src-renderer/stores/chat.ts'
import { opening } from '../../../../../../src-renderer/stores/openChat.ts'
import { routeStore } from '../../../../../../src-renderer/stores/route.ts'
import { toolsStore } from '../../../../../../src-renderer/stores/tools.ts'
import { states } from '../../../../harness/states.ts'
import { toolsCore } from './core.ts'
import { type CardScene, cards, conversationId, manyTools, message, none, setup, some } from './scenes.ts'

// Tools in every state over an in-memory core: `?scene=waiting&theme=dark&tools=many`.
const query = new URLSearchParams(location.search)
const scene = query.get('scene') ?? 'waiting'
document.documentElement.dataset.theme = query.get('theme') ?? 'light'
await startWords()

const state = { some, many: manyTools, none }[query.get('tools') ?? 'some'] ?? some
const { client, asked } = toolsCore(state, (tools) => toolsStore.setState({ tools }))
setClient(client)
toolsStore.setState({ tools: state })
const app: AppState = { ...states.connected, settings: { ...states.connected.settings, toolRounds: 3 } }
appStore.setState({ app, link: 'open' })
routeStore.setState({ route: { page: 'settings', id: 'tools' } })
useChat.setState({ open: { ...opening(conversationId), state: 'live', setup } })

const isCards = (name: string): name is CardScene => name in cards

function Round() {
  const [round] = useState(() => {
    const made = query.get('settled') ? cards.settled() : cards.waiting()
    const reply = message(1_000, { toolCalls: made.map(({ call }) => call) })
    const rows = made.flatMap(({ row }) => (row ? [row] : []))
    const before = [1, 2].map((n) => message(n, { toolCalls: reply.toolCalls }))
    useChat.setState(({ open }) => (open ? { open: { ...open, messages: [...before, reply, ...rows] } } : {}))
    return reply
  })
  return <ToolCalls reply={round} />
}

function Scene(): ReactNode {
  if (scene === 'settings')
    return (
      <main className="stage">
        <settingsPage.Stage />
      </main>
    )
  const [place, content] = contents()
  return (
    <main className="scene">
      <div className={place}>{content}</div>
    </main>
  )
}

function contents(): [place: string, content: ReactNode] {
  if (scene === 'section') return ['side', <ToolsSection key={scene} />]
  if (scene === 'button') return ['foot', <AddMenu key={scene} />]
  if (!isCards(scene)) return ['column', <Round key={scene} />]
  return ['column', cards[scene]().map((one) => <ToolCard key={one.call.index} {...one} />)]
}

function Window() {
  const toasts = useApp((store) => store.toasts)
  const [node] = useState(() => <Scene />)
  return (
    <TooltipProvider>
      <Toasts items={toasts} onGone={(id) => appStore.setState(withoutToast(appStore.getState(), id))}>
        <h1 className="sr-only">Tools</h1>
        {node}
      </Toasts>
    </TooltipProvider>
  )
}

createRoot(document.querySelector('#root') ?? document.body).render(
  <StudioContext value={client}>
    <Window />
  </StudioContext>,
)

/** What screenshots and tests use inside the page. */
Object.assign(globalThis, { asked, useChat, chatToolsStore: toolsStore })
