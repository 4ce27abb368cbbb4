import { canContinue, canRetry, type Message } from '../../../src-preload/contract/chat.ts'
import type { ChatText } from '../../i18n/en/chat.ts'
import { i18n } from '../../i18n/index.ts'
import { type Command, offerTranslatedCommands } from '../../shared/commands/registry.ts'
import { commandOrigin } from '../../shared/ui/returnFocus.ts'
import { useChat } from '../../stores/chat.ts'
import { useStage } from '../../stores/chatPage.ts'
import { cardsOf, isRunning, partsOf, runningReplies } from '../../stores/openChat.ts'
import { routeStore } from '../../stores/route.ts'
import { copyText, stopHere } from './actions.ts'
import { showContext } from './context/actions.ts'
import { printChat } from './export/printChat.ts'
import { showFind } from './find/actions.ts'
import { focusComposer, selectedIn } from './focus.ts'
import { jumpBy } from './jumps.ts'
import { continueReply, duplicate, isMaking, isOwn, quote, retry, startEdit, walk } from './messageActions.ts'
import { requestRowsOf, wholeReply } from './wholeReply.ts'

const here = (): boolean => routeStore.getState().route.page === 'chat'
const opened = (): boolean => here() && useChat.getState().open?.state === 'live'

/** The focused message if `fits` accepts it, otherwise the last accepted message of the path. Replies are whole. */
function target(fits: (message: Message) => boolean): Message | null {
  const { open } = useChat.getState()
  const holder = commandOrigin()?.closest('article[data-message-id]')
  const focused = wholeOf(holder?.getAttribute('data-message-id') ?? '')
  if (focused && fits(focused)) return focused
  const { heads } = cardsOf(open)
  for (let at = heads.length - 1; at >= 0; at -= 1) {
    const whole = wholeOf(heads[at] ?? '')
    if (whole && fits(whole)) return whole
  }
  return null
}

const wholeOf = (id: string): Message | undefined => wholeReply(partsOf(useChat.getState().open, id))

/** The last stored message of a whole reply. */
const lastOf = ({ id }: Message): Message | undefined => partsOf(useChat.getState().open, id).at(-1)

const settledReply = (message: Message): boolean => message.role === 'assistant' && !isRunning(message)
const hasText = (message: Message): boolean => message.text !== '' || message.refusal !== ''

interface MessageAction {
  id: string
  title: ChatText
  keys?: string
  fits: (message: Message) => boolean
  run: (message: Message) => void
  /** Only while no reply is running. */
  settled?: boolean
}

const actions: MessageAction[] = [
  {
    id: 'message.copy',
    title: 'commandCopy',
    keys: 'Mod+Shift+C',
    fits: (message) => settledReply(message) && hasText(message),
    run: (message) => void copyText(message.text || message.refusal),
  },
  {
    id: 'message.edit',
    title: 'commandEdit',
    keys: 'Mod+E',
    fits: isOwn,
    run: startEdit,
  },
  {
    id: 'message.retry',
    title: 'commandRetry',
    keys: 'Mod+Shift+Enter',
    fits: (message) => settledReply(message) && canRetry(message),
    settled: true,
    run: (message) => retry(message.id),
  },
  {
    id: 'message.retryWith',
    title: 'retryWith',
    fits: (message) => settledReply(message) && canRetry(message),
    settled: true,
    run: (message) => useStage.setState({ dialog: { kind: 'retryWith', replyId: message.id } }),
  },
  {
    id: 'message.continue',
    title: 'commandContinue',
    keys: 'Mod+Alt+Enter',
    fits: (message) => {
      const last = lastOf(message)
      return last !== undefined && canContinue(last) && useChat.getState().open?.ids.at(-1) === last.id
    },
    settled: true,
    run: (message) => {
      const last = lastOf(message)
      if (last) continueReply(last)
    },
  },
  {
    id: 'message.quote',
    title: 'commandQuote',
    keys: 'Mod+Alt+Q',
    fits: hasText,
    run: (message) => quote(selectedIn(message.id) || message.text || message.refusal),
  },
  {
    id: 'message.previousVersion',
    title: 'commandPreviousVersion',
    keys: 'Alt+PageUp',
    fits: ({ siblings, sibling }) => siblings > 1 && sibling > 1,
    run: (message) => void walk(message, -1),
  },
  {
    id: 'message.nextVersion',
    title: 'commandNextVersion',
    keys: 'Alt+PageDown',
    fits: ({ siblings, sibling }) => sibling < siblings,
    run: (message) => void walk(message, 1),
  },
  {
    id: 'message.duplicate',
    title: 'commandDuplicate',
    fits: hasText,
    run: (message) => void duplicate(message.conversationId, (lastOf(message) ?? message).id),
  },
  {
    id: 'message.raw',
    title: 'raw',
    fits: ({ requestRow }) => requestRow !== null,
    run: ({ id }) => {
      const requestRows = requestRowsOf(partsOf(useChat.getState().open, id))
      useStage.setState({ dialog: { kind: 'raw', requestRows } })
    },
  },
]

/** Commands of the stage, in the language of the window. */
function commands(): Command[] {
  const t = (key: ChatText): string => i18n.t(key, { ns: 'chat' })
  const ofMessage = ({ id, title, keys, fits, run, settled = false }: MessageAction): Command => ({
    id,
    title: t(title),
    group: 'message',
    when: () => opened() && !(settled && isMaking()) && target(fits) !== null,
    run: () => {
      const message = target(fits)
      if (message) run(message)
    },
    ...(keys === undefined ? {} : { keys }),
  })
  return [
    {
      id: 'chat.stop',
      title: t('commandStop'),
      group: 'chat',
      keys: 'Escape',
      when: () => here() && runningReplies(useChat.getState().open).length > 0,
      run: () => void stopHere(),
    },
    { id: 'chat.find', title: t('find'), group: 'conversation', keys: 'Mod+F', when: opened, run: showFind },
    // The only way to it while the chat is too short to show its size.
    {
      id: 'chat.context',
      title: i18n.t('context:open'),
      group: 'conversation',
      when: here,
      run: showContext,
    },
    { id: 'chat.print', title: t('print'), group: 'conversation', keys: 'Mod+P', when: opened, run: printChat },
    {
      id: 'chat.rename',
      title: t('commandRename'),
      group: 'conversation',
      keys: 'F2',
      when: opened,
      run: () => useStage.setState({ renaming: true }),
    },
    {
      id: 'chat.model',
      title: t('pickModel'),
      group: 'chat',
      keys: 'Mod+Shift+M',
      when: here,
      run: () => useStage.setState({ picking: useChat.getState().compared.length > 1 ? 'several' : 'one' }),
    },
    {
      id: 'chat.compare',
      title: t('commandCompare'),
      group: 'chat',
      when: here,
      run: () => useStage.setState({ picking: 'several' }),
    },
    {
      id: 'chat.presets',
      title: t('presetSaveTitle'),
      group: 'chat',
      when: here,
      run: () => useStage.setState({ dialog: { kind: 'presets' } }),
    },
    { id: 'chat.write', title: t('commandWrite'), group: 'chat', keys: 'Mod+J', when: here, run: focusComposer },
    {
      id: 'message.previous',
      title: t('commandPrevious'),
      group: 'message',
      keys: 'Alt+ArrowUp',
      when: opened,
      run: () => jumpBy(-1),
    },
    {
      id: 'message.next',
      title: t('commandNext'),
      group: 'message',
      keys: 'Alt+ArrowDown',
      when: opened,
      run: () => jumpBy(1),
    },
    ...actions.map(ofMessage),
  ]
}

/** Registers the commands, and registers them again when the language changes. Returns the function that removes them. */
export function offerChatCommands(): () => void {
  return offerTranslatedCommands(() => commands().map((command) => ({ ...command, page: 'chat' })))
}
