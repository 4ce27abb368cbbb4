import '../../shared/ui/composerBox.css'
import './composer/composer.css'
import { ArrowUp, Plus, Square } from 'lucide-react'
import { type KeyboardEvent, memo, useEffect, useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { ConnectionNote } from '../../shared/offline/ConnectionNote.tsx'
import { isSendKey, useSendKey } from '../../shared/sendKey.ts'
import { useApp } from '../../stores/app.ts'
import { draftOf, modelsToAsk, newChat, useChat } from '../../stores/chat.ts'
import { runningReply } from '../../stores/openChat.ts'
import { send, stopHere, typeText } from './actions.ts'
import { AddMenu } from './composer/AddMenu.tsx'
import { offerComposerCommands } from './composer/commands.ts'
import { attachmentsOf, draftPictures, recallPictures } from './composer/draftPictures.ts'
import { Hint } from './composer/Hint.tsx'
import { PictureTray } from './composer/PictureTray.tsx'
import { useSentAs } from './composer/RolePicker.tsx'
import { askIfImagesRefused, followRefusals, holdsImages, useKnownRefusal } from './composer/refusals.ts'
import { usePastedAndDropped } from './composer/usePastedAndDropped.ts'
import { ContextLine } from './context/ContextLine.tsx'
import { DocumentTray } from './documents/DocumentTray.tsx'
import { attachedOf, canRetryDocument, draftDocuments } from './documents/draftDocuments.ts'
import { HandsFreeBar, HandsFreeButton } from './handsFree/HandsFreeBar.tsx'
import { useBusy } from './hooks.ts'
import { PromptSlash } from './list/PromptSlash.tsx'
import { ModelPicker } from './ModelPicker.tsx'
import { useChatTranslate } from './messages.ts'
import { ProjectTray } from './projects/ProjectTray.tsx'
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
  const over = usePastedAndDropped(field)

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another chat opens
  useEffect(() => field.current?.focus(), [draft])
  useEffect(() => recallPictures(draft), [draft])
  useEffect(() => draftDocuments.recall(draft), [draft])
  useEffect(followRefusals, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: titles are in the window's language
  useEffect(() => offerComposerCommands(), [i18n.language])

  const submit = (): void => {
    if (blocked !== null) return
    const state = useChat.getState()
    // The request also contains the earlier messages. Other roles only add a message, without a request.
    const hasImages = draftPictures.of(draft).length > 0 || holdsImages(state.open?.messages ?? [])
    askIfImagesRefused(modelsToAsk(state), role === 'user' && hasImages, () => void sendDraft(typed, draft))
  }
  const byKey = (event: KeyboardEvent): void => {
    if (!isSendKey(event)) return
    event.preventDefault()
    submit()
  }
  const quiet = blocked === null || blocked === tChat('needText')
  return (
    <div className="chat-composer-frame">
      <ConnectionNote place="chat" className="mb-2" />
      <SendProblem />
      <Player />
      <div className="composer-box chat-composer" data-over={over}>
        {over && <p className="composer-over">{t('dropHere')}</p>}
        <Above draft={draft} />
        <textarea
          ref={field}
          rows={1}
          aria-label={tChat('message')}
          aria-describedby={hint}
          placeholder={tChat('messagePlaceholder')}
          value={typed}
          onChange={(event) => typeText(event.target.value)}
          onKeyDown={byKey}
        />
        <PromptSlash field={field} text={typed} />
        <footer>
          <Actions />
          <span className="chat-hint" id={hint} data-quiet={quiet} title={quiet ? undefined : (blocked ?? undefined)}>
            {quiet ? (role === 'user' ? sendKey.hint('send') : t('addHint')) : blocked}
          </span>
          <Model />
          <SendOrStop blocked={blocked} onSend={submit} onStop={() => field.current?.focus()} />
        </footer>
      </div>
      <ContextLine />
    </div>
  )
}

/** Maximum length of a message, characters. */
const longest = 1_000_000

/** Why nothing can be sent now, as text. Null when sending is possible. */
function useBlocked(typed: string, draft: string): string | null {
  const tChat = useChatTranslate()
  const { t } = useTranslation(['composer', 'problems'])
  const running = useBusy()
  const sending = useChat((state) => state.sending !== null)
  const problem = useApp(({ app }) => (app?.connection.state === 'failed' ? app.connection.problem : null))
  const known = useChat((state) => modelsToAsk(state).length > 0)
  const pictures = draftPictures.useItems(draft)
  const { t: tDocuments } = useTranslation('documents')
  const documents = draftDocuments.useItems(draft)
  if (sending) return tChat('sendingNow')
  if (running) return tChat('needEnd')
  // Without a connection there are no models to choose from.
  if (!known) return problem ? t(`problems:kinds.${problem.kind}.title`) : tChat('needModel')
  if (pictures.some(({ state }) => state === 'failed')) return t('picturesFailed')
  if (pictures.some(({ state }) => state !== 'ready')) return t('picturesGoing')
  const failed = documents.filter(({ state }) => state === 'failed')
  if (failed.length > 0) return tDocuments(failed.every(canRetryDocument) ? 'failedRetry' : 'failed')
  if (documents.some(({ state }) => state !== 'ready')) return tDocuments('going')
  if (typed.trim() === '' && pictures.length === 0 && documents.length === 0) return tChat('needText')
  return typed.length > longest ? tChat('needShorter') : null
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

/** Sends the draft. Pictures and documents leave the composer with the text, and return if the core refuses the message. */
async function sendDraft(text: string, draft: string): Promise<void> {
  const pictures = draftPictures.take(draft)
  const as = useSentAs.getState()
  const documents = draftDocuments.take(draft)
  const files = { attachments: attachmentsOf(pictures), documents: attachedOf(documents) }
  const taken = await send(text, files, as)
  if (!taken) {
    draftPictures.restore(draft, pictures)
    draftDocuments.restore(draft, documents)
    return
  }
  draftPictures.forget(draft, pictures)
  draftDocuments.forget(draft, documents)
  useSentAs.setState({ role: 'user', name: '' })
}

interface SendOrStopProps {
  blocked: string | null
  onSend: () => void
  onStop: () => void
}

function SendOrStop({ blocked, onSend, onStop }: SendOrStopProps) {
  const tChat = useChatTranslate()
  const { t } = useTranslation('composer')
  const role = useSentAs((as) => as.role)
  const asked = useChat((state) => modelsToAsk(state).length)
  const replyId = useChat((state) => runningReply(state.open)?.id ?? null)
  const stopping = useChat((state) => replyId !== null && state.stopping.has(replyId))
  if (replyId === null) {
    const Icon = role === 'user' ? ArrowUp : Plus
    return (
      <button
        type="button"
        className="chat-btn chat-go"
        aria-disabled={blocked !== null}
        title={blocked ?? undefined}
        onClick={onSend}
      >
        <Icon aria-hidden />
        <span className="num">
          {role === 'user' ? tChat('send') : t('add')}
          {role === 'user' && asked > 1 && ` ${t('sendToModels', { count: asked })}`}
        </span>
      </button>
    )
  }
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
    </>
  )
}

function SendProblem() {
  const problem = useChat((state) => state.sendProblem)
  return problem && <ProblemNotice problem={problem} className="chat-send-problem" />
}
