import { callAll } from '../../shared/callAll.ts'
import './styles.ts'
import { useEffect } from 'react'
import { navigate } from '../../shared/navigation.ts'
import type { PageRegions } from '../../shared/pageView.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { appStore } from '../../stores/app.ts'
import { useChat } from '../../stores/chat.ts'
import { messageIn, runningReply } from '../../stores/openChat.ts'
import { projectOf, routeStore, useRoute } from '../../stores/route.ts'
import { loadModels, openChat, startChat } from './actions.ts'
import { attempt } from './client.ts'
import { offerChatCommands } from './commands.ts'
import { followBrowserPrint } from './export/printChat.ts'
import { endFind } from './find/actions.ts'
import { ChatInspector } from './Inspector.tsx'
import { ChatList } from './List.tsx'
import { endSearch } from './list/actions.ts'
import { followNewFolder, recallNewChat, takeDefaults } from './newChatDefaults.ts'
import { ChatStage } from './Stage.tsx'
import { followAddedServers } from './tools/setup.ts'

/** Starts the feature once per window, and loads the models again when another service answers. */
export function ChatSubscriptions() {
  useEffect(followBrowserPrint, [])
  const studio = useStudio()
  useEffect(() => {
    const stop = startChat(studio)
    let remembered = false
    let answering: string | null = null
    const read = () => {
      const { app } = appStore.getState()
      // Only at the start, because a model selected in another window applies to the chats there.
      if (app && !remembered) {
        remembered = true
        useChat.setState(({ open, model }) => ({ model: open?.conversation?.model ?? app.settings.chatModel ?? model }))
        if (useChat.getState().open === null) recallNewChat()
      }
      if (app?.connection.state !== 'connected') return
      const { profile } = app.connection
      const id = profile && `${profile.id} ${profile.baseUrl}`
      if (id === answering) return
      if (answering !== null) useChat.setState({ model: null })
      answering = id
      void loadModels(false)
    }
    read()
    const ends = [
      stop,
      appStore.subscribe(read),
      followNewFolder(),
      followOpenChat(),
      followReplies(),
      followAddedServers(),
      offerChatCommands(),
    ]
    return () => callAll(ends)
  }, [studio])
  const { page, id } = useRoute()
  useEffect(() => {
    if (page !== 'chat') {
      endSearch()
      endFind()
      return
    }
    const isProject = projectOf({ page, id }) !== null
    openChat(isProject ? null : id)
    if (id === null) takeDefaults()
  }, [page, id])
  return null
}

/** Updates the address to the open chat, so that reload and the back button work. */
function followOpenChat(): () => void {
  return useChat.subscribe(({ open }, before) => {
    const id = open?.id ?? null
    if (id === (before.open?.id ?? null)) return
    const { route } = routeStore.getState()
    // No chat is open on the page of a project.
    if (id === null && projectOf(route) !== null) return
    if (route.page === 'chat' && route.id !== id) navigate({ page: 'chat', id })
  })
}

/** Checks the connection again, once per reply, when a reply arrives although the connection counts as failed. */
function followReplies(): () => void {
  return useChat.subscribe(({ open }, before) => {
    if (open === before.open || appStore.getState().app?.connection.state !== 'failed') return
    const reply = runningReply(before.open)
    if (reply && messageIn(open, reply.id)?.status === 'complete') void attempt((client) => client.connection.retest())
  })
}

export const chatPage: PageRegions = {
  List: ChatList,
  Stage: ChatStage,
  Inspector: ChatInspector,
  inspectorOnDemand: true,
  inspectorContent: { subscribe: routeStore.subscribe, isThere: () => projectOf(routeStore.getState().route) === null },
}
