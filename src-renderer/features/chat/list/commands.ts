import { i18n } from '../../../i18n/index.ts'
import { type Command, offerTranslatedCommands } from '../../../shared/commands/registry.ts'
import { offerSource } from '../../../shared/commands/sources.ts'
import { useChat } from '../../../stores/chat.ts'
import { listStore, withView } from '../../../stores/chatList.ts'
import { cardsOf } from '../../../stores/openChat.ts'
import { loadModels, pickModel } from '../actions.ts'
import { openExport } from '../export/exports.ts'
import { archiveChats, duplicateChat, focusSearch, pinChats, removeChats, showChat } from './actions.ts'
import { chooseImport, exportAll, exportChat } from './transfers.ts'

/** The open chat, from the list. */
const openChat = () => {
  const { open } = useChat.getState()
  return open?.state === 'live' ? open.conversation : null
}

/** The messages that the text selection touches, when there are several. */
function selectedMessages(): string[] {
  const selection = getSelection()
  if (!selection || selection.isCollapsed) return []
  const { of } = cardsOf(useChat.getState().open)
  const ids = [...document.querySelectorAll<HTMLElement>('article[data-message-id]')]
    .filter((article) => selection.containsNode(article, true))
    .flatMap(({ dataset: { messageId = '' } }) => of.get(messageId) ?? [messageId])
  return ids.length > 1 ? ids : []
}

/** Shows one of the lists, and its region. */
function showView(view: 'chats' | 'archived' | 'removed'): void {
  focusSearch()
  listStore.setState(withView(view))
}

function commands(): Command[] {
  const t = i18n.getFixedT(null, 'palette')
  const when = (): boolean => openChat() !== null
  const onOpen = (id: string, title: string, run: (id: string) => void, keys?: string): Command => ({
    id,
    title,
    group: 'conversation',
    when,
    run: () => {
      const open = openChat()
      if (open) run(open.id)
    },
    ...(keys === undefined ? {} : { keys }),
  })
  const flip = (field: 'pinned' | 'archived'): boolean => !openChat()?.[field]
  return [
    { id: 'chat.search', title: t('commands.search'), group: 'chat', keys: 'Mod+Shift+F', run: focusSearch },
    onOpen('conversation.pin', t('commands.pin'), (id) => void pinChats([id], flip('pinned'))),
    onOpen('conversation.move', t('commands.move'), (id) =>
      listStore.setState({ dialog: { show: 'move', ids: [id] } }),
    ),
    onOpen('conversation.archive', t('commands.archive'), (id) => void archiveChats([id], flip('archived'))),
    onOpen('conversation.duplicate', t('commands.duplicate'), (id) => void duplicateChat(id)),
    onOpen('conversation.export', i18n.t('exporting:command'), (id) => void openExport(id, selectedMessages())),
    onOpen('conversation.exportMarkdown', t('commands.exportMarkdown'), (id) => void exportChat(id, 'markdown')),
    onOpen('conversation.exportJson', t('commands.exportJson'), (id) => void exportChat(id, 'json')),
    onOpen('conversation.remove', t('commands.remove'), (id) => void removeChats([id])),
    {
      id: 'library.prompts',
      title: t('commands.prompts'),
      group: 'chat',
      run: () => listStore.setState({ dialog: { show: 'prompts' } }),
    },
    {
      id: 'library.newFolder',
      title: t('commands.newFolder'),
      group: 'chat',
      run: () => listStore.setState({ dialog: { show: 'folder', ids: [] } }),
    },
    { id: 'library.import', title: t('commands.import'), group: 'chat', run: chooseImport },
    { id: 'library.exportAll', title: t('commands.exportAll'), group: 'chat', run: () => void exportAll() },
    { id: 'view.chats', title: t('commands.chats'), group: 'view', run: () => showView('chats') },
    { id: 'view.archived', title: t('commands.archived'), group: 'view', run: () => showView('archived') },
    { id: 'view.removed', title: t('commands.removed'), group: 'view', run: () => showView('removed') },
  ]
}

/** Registers the list's commands, and chats and models as palette items. Returns the function that removes them. */
export function offerListCommands(): () => void {
  const stop = offerTranslatedCommands(commands)
  const stopChats = offerSource({
    id: 'chats',
    things: () => {
      const untitled = i18n.t('library:untitled')
      return useChat
        .getState()
        .list.conversations.map(({ id, title, model }) => ({ id, title: title ?? untitled, beside: model ?? '' }))
    },
    run: showChat,
  })
  const stopModels = offerSource({
    id: 'models',
    things: () => {
      const { models, state } = useChat.getState().models
      if (state === 'idle') void loadModels(false)
      return models.map(({ id, ownedBy }) => ({ id, title: id, beside: ownedBy ?? '' }))
    },
    run: (id) => void pickModel(id),
  })
  return () => {
    stop()
    stopChats()
    stopModels()
  }
}
