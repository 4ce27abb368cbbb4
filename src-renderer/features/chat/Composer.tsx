import '../../shared/ui/composerBox.css'
import './composer/composer.css'
import { ArrowUp, ListPlus, Plus, Square } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, memo, useEffect, useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { hintedMessages } from '../../../src-preload/contract/app.ts'
import { composerField } from '../../shared/composerField.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { ConnectionNote } from '../../shared/offline/ConnectionNote.tsx'
import { isSendKey, useSendKey } from '../../shared/sendKey.ts'
import { appStore, useApp } from '../../stores/app.ts'
import { draftOf, modelsToAsk, newChat, useChat } from '../../stores/chat.ts'
import { runningReply } from '../../stores/openChat.ts'
import { send, stopHere, typeText } from './actions.ts'
import { attempt } from './client.ts'
import { AddMenu } from './composer/AddMenu.tsx'
import { offerComposerCommands } from './composer/commands.ts'
import { attachmentsOf, draftPictures, recallPictures } from './composer/draftPictures.ts'
import { Hint } from './composer/Hint.tsx'
import { PictureTray } from './composer/PictureTray.tsx'
import { useSentAs } from './composer/RolePicker.tsx'
import { askIfImagesRefused, followRefusals, holdsImages, useKnownRefusal } from './composer/refusals.ts'
import { ContextLine } from './context/ContextLine.tsx'
import { addFiles } from './documents/addFiles.ts'
import { DocumentTray } from './documents/DocumentTray.tsx'
import { attachedOf, canRetryDocument, draftDocuments } from './documents/draftDocuments.ts'
import { HandsFreeBar, HandsFreeButton } from './handsFree/HandsFreeBar.tsx'
import { useBusy } from './hooks.ts'
import { PromptSlash } from './list/PromptSlash.tsx'
import { ModelPicker } from './ModelPicker.tsx'
import { editLast } from './messageActions.ts'
import { useChatTranslate } from './messages.ts'
import { ProjectTray } from './projects/ProjectTray.tsx'
import { longestMessage } from './queue/actions.ts'
import { QueueTray } from './queue/QueueTray.tsx'
import { useToolUse } from './tools/setup.ts'
import { DictateButton, DictationBar } from './voice/Dictation.tsx'
import { PlayerBar } from './voice/PlayerBar.tsx'

/**
 * The message field. Its position never changes. It grows to a third of the window, then scrolls. It subscribes to no state that changes
 * while a reply streams, so that typing stays fast.
 */
export function Composer() {
  const tChat = useChatTranslate()
  const { t, i18n } = useTranslation('composer')
  const field = useRef<HTMLTextAreaElement>(null)
  const hint = useId()
  const sendKey = useSendKey()
  const typed = useChat(draftOf)
  const draft = useChat((state) => state.open?.id ?? newChat)
  const role = useSentAs((as) => as.role)
  const blocked = useBlocked(typed, draft)
  const queues = useQueues()

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another chat opens
  useEffect(() => field.current?.focus(), [draft])
  useEffect(() => recallPictures(draft), [draft])
  useEffect(() => draftDocuments.recall(draft), [draft])
  useEffect(followRefusals, [])
  useEffect(takeLooseLetters, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: titles are in the window's language
  useEffect(() => offerComposerCommands(), [i18n.language])

  const submit = (): void => {
    if (blocked !== null) return
    const state = useChat.getState()
    // The request also contains the earlier messages. Other roles only add a message, without a request.
    const hasImages = draftPictures.of(draft).length > 0 || holdsImages(state.open?.messages ?? [])
    askIfImagesRefused(modelsToAsk(state), role === 'user' && hasImages, () => void sendDraft(typed, draft, queues))
  }
  const byKey = (event: KeyboardEvent): void => {
    if (isSendKey(event)) submit()
    else if (event.key !== 'ArrowUp' || typed !== '' || hasModifier(event) || !editLast()) return
    event.preventDefault()
  }
  const quiet = blocked === null || blocked === tChat('needText')
  const isNew = useApp(({ app }) => (app?.settings.sentMessages ?? 0) < hintedMessages)
  const quietHint = queues
    ? typed !== '' && t('queueHint')
    : role === 'user'
      ? isNew && sendKey.hint('send')
      : t('addHint')
  return (
    <div className="chat-composer-frame">
      <ConnectionNote place="chat" className="mb-2" />
      <SendProblem />
      <Player />
      <Queue />
      <div className="composer-box chat-composer">
        <Above draft={draft} />
        <textarea
          ref={field}
          dir="auto"
          rows={1}
          aria-label={tChat('message')}
          aria-describedby={hint}
          placeholder={tChat('messagePlaceholder')}
          value={typed}
          onChange={(event) => typeText(event.target.value)}
          onKeyDown={byKey}
          onPaste={pasteFiles}
        />
        <PromptSlash field={field} text={typed} />
        <footer>
          <Actions />
          <span className="chat-hint" id={hint} data-quiet={quiet} title={quiet ? undefined : (blocked ?? undefined)}>
            {quiet ? quietHint : blocked}
          </span>
          <Model />
          <SendOrStop blocked={blocked} queues={queues} onSend={submit} onStop={() => field.current?.focus()} />
        </footer>
      </div>
      <ContextLine />
    </div>
  )
}

const hasModifier = (event: KeyboardEvent): boolean => event.ctrlKey || event.metaKey || event.altKey || event.shiftKey

/** Letters that are typed while nothing that takes them has the focus become text of the message. Returns the function that stops this. */
function takeLooseLetters(): () => void {
  const onKey = (event: globalThis.KeyboardEvent): void => {
    const isLetter = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey
    const { activeElement: focused } = document
    const isLoose = focused === null || focused === document.body || focused.matches('.chat-talk')
    // The browser inserts the letter where the focus is after this event.
    if (isLetter && isLoose && !event.defaultPrevented) composerField()?.focus({ preventScroll: true })
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}

/** Attaches pasted files. A paste with both text and a file (from a word processor) inserts the text. */
function pasteFiles(event: ClipboardEvent): void {
  const files = [...event.clipboardData.files]
  if (files.length === 0 || event.clipboardData.getData('text/plain') !== '') return
  event.preventDefault()
  addFiles(files)
}

/**
 * Whether the next message is queued: a reply is running, or a message that is not sent yet comes first. A held one does not, because the
 * person decides about it.
 */
function useQueues(): boolean {
  const busy = useBusy()
  return useChat(({ open }) => open?.queue.some(({ held }) => !held) ?? false) || busy
}

/** Why nothing can be sent now, as text. Null when sending is possible. */
function useBlocked(typed: string, draft: string): string | null {
  const tChat = useChatTranslate()
  const { t } = useTranslation(['composer', 'problems'])
  const sending = useChat((state) => state.sending !== null)
  const problem = useApp(({ app }) => (app?.connection.state === 'failed' ? app.connection.problem : null))
  const known = useChat((state) => modelsToAsk(state).length > 0)
  const pictures = draftPictures.useItems(draft)
  const { t: tDocuments } = useTranslation('documents')
  const documents = draftDocuments.useItems(draft)
  if (sending) return tChat('sendingNow')
  // Without a connection there are no models to choose from.
  if (!known) return problem ? t(`problems:kinds.${problem.kind}.title`) : tChat('needModel')
  if (pictures.some(({ state }) => state === 'failed')) return t('picturesFailed')
  if (pictures.some(({ state }) => state !== 'ready')) return t('picturesGoing')
  const failed = documents.filter(({ state }) => state === 'failed')
  if (failed.length > 0) return tDocuments(failed.every(canRetryDocument) ? 'failedRetry' : 'failed')
  if (documents.some(({ state }) => state !== 'ready')) return tDocuments('going')
  if (typed.trim() === '' && pictures.length === 0 && documents.length === 0) return tChat('needText')
  return typed.length > longestMessage ? tChat('needShorter') : null
}

/** The parts around the field. Memoized, so that they do not render with each key press. */
const Above = memo(({ draft }: { draft: string }) => (
  <>
    <PictureTray draft={draft} />
    <DocumentTray draft={draft} />
    <ProjectTray />
    <ToolsHint />
    <DictationBar />
    <HandsFreeBar />
  </>
))
const Actions = memo(() => (
  <>
    <AddMenu />
    <DictateButton />
    <HandsFreeButton />
  </>
))
const Model = memo(ModelPicker)
const Player = memo(PlayerBar)
const Queue = memo(QueueTray)

/** A warning beside the next message when its model has refused tools before. */
function ToolsHint() {
  const { t } = useTranslation('composer')
  const { enabled, choice } = useToolUse()
  const refused = useKnownRefusal('tools')
  if (refused === null || enabled.length === 0 || choice === 'none') return null
  return (
    <div className="composer-tray">
      <Hint>{t('refusedToolsBefore', { model: refused })}</Hint>
    </div>
  )
}

/** Sends or queues the draft. Pictures and documents leave the composer with the text, and return if the core refuses the message. */
async function sendDraft(text: string, draft: string, queues: boolean): Promise<void> {
  const pictures = draftPictures.take(draft)
  const as = useSentAs.getState()
  const documents = draftDocuments.take(draft)
  const files = { attachments: attachmentsOf(pictures), documents: attachedOf(documents) }
  const taken = await send(text, files, as, queues)
  if (!taken) {
    draftPictures.restore(draft, pictures)
    draftDocuments.restore(draft, documents)
    return
  }
  countMessage()
  draftPictures.forget(draft, pictures)
  draftDocuments.forget(draft, documents)
  useSentAs.setState({ role: 'user', name: '' })
}

/** Counts the first messages, after which the hint about the key disappears. */
function countMessage(): void {
  const sent = appStore.getState().app?.settings.sentMessages ?? hintedMessages
  if (sent < hintedMessages) void attempt((core) => core.app.updateSettings({ sentMessages: sent + 1 }))
}

interface SendOrStopProps {
  blocked: string | null
  /** The message is queued, so that Stop stays reachable. */
  queues: boolean
  onSend: () => void
  onStop: () => void
}

function SendOrStop({ blocked, queues, onSend, onStop }: SendOrStopProps) {
  const tChat = useChatTranslate()
  const { t } = useTranslation('composer')
  const role = useSentAs((as) => as.role)
  const asked = useChat((state) => modelsToAsk(state).length)
  const replyId = useChat((state) => runningReply(state.open)?.id ?? null)
  const stopping = useChat((state) => replyId !== null && state.stopping.has(replyId))
  const Icon = queues ? ListPlus : role === 'user' ? ArrowUp : Plus
  const go = (
    <button
      type="button"
      className="chat-btn chat-go"
      aria-disabled={blocked !== null}
      title={blocked ?? undefined}
      onClick={onSend}
    >
      <Icon aria-hidden />
      <span className="num">
        {role !== 'user'
          ? t(queues ? 'queue' : 'add')
          : asked > 1
            ? t(queues ? 'queueToModels' : 'sendToModels', { count: asked })
            : queues
              ? t('queue')
              : tChat('send')}
      </span>
    </button>
  )
  if (replyId === null) return go
  const stop = (): void => {
    void stopHere()
    onStop()
  }
  return (
    <>
      <span className="chat-kbd" aria-hidden>
        Esc
      </span>
      <button type="button" className="chat-btn" aria-disabled={stopping} onClick={stop}>
        <Square aria-hidden /> {tChat(stopping ? 'stopping' : 'stop')}
      </button>
      {blocked === null && go}
    </>
  )
}

function SendProblem() {
  const problem = useChat((state) => state.sendProblem)
  return problem && <ProblemNotice problem={problem} className="chat-send-problem" />
}
