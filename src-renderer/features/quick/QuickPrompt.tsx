import { isComposing } from '../../shared/isComposing.ts'
import './quick.css'
import {
  ArrowUp,
  ClipboardPaste,
  Monitor,
  Plus,
  Sparkles,
  Square,
  SquareArrowOutUpRight,
  TextCursorInput,
  X,
} from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { mediaPath } from '../../../src-preload/contract/media.ts'
import { keysOfPress, showKeys } from '../../shared/commands/keys.ts'
import { useDesktop } from '../../shared/desktop.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { LinkQuestion } from '../../shared/linkQuestion/LinkQuestion.tsx'
import { MarkdownContext } from '../../shared/markdown/context.ts'
import { Markdown } from '../../shared/markdown/Markdown.tsx'
import { QuestionCards } from '../../shared/questions/QuestionCards.tsx'
import { isSendKey } from '../../shared/sendKey.ts'
import { builtInActions, nameOf } from '../../shared/textActions/builtIn.ts'
import { ResultContent } from '../../shared/textActions/Result.tsx'
import { closeResult, stopAction } from '../../shared/textActions/run.ts'
import { type ActionRun, useTextActions } from '../../shared/textActions/state.ts'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { Kbd } from '../../shared/ui/Kbd.tsx'
import { Menu, MenuItem } from '../../shared/ui/Menu.tsx'
import { isMac } from '../../shared/ui/platform.ts'
import { Select } from '../../shared/ui/Select.tsx'
import { useApp } from '../../stores/app.ts'
import {
  addClipboard,
  addScreenshot,
  close,
  continueInMain,
  copyText,
  focusPrompt,
  insertIntoPrompt,
  openLink,
  removeClipboard,
  removeScreenshot,
  runOnClipboard,
  send,
  startAgain,
  stop,
  type,
} from './actions.ts'
import { canSend, isRunningNow, lastReply, modelToAsk, useQuick } from './state.ts'

/** The whole window: the prompt, what goes with it, the reply, and the actions. */
export function QuickPrompt() {
  const { t, i18n } = useTranslation('quick')
  const known = useApp(({ app }) => app !== null)
  const [link, setLink] = useState<string | null>(null)
  const run = useTextActions((state) => state.run)
  const host = useMemo(() => ({ openLink: setLink, copy: copyText }), [])
  useEffect(() => {
    document.title = i18n.t('quick:title')
  }, [i18n])
  useWindowKeys()
  if (!known) return null
  return (
    <MarkdownContext value={host}>
      <main className="quick" aria-label={t('title')}>
        <h1 className="sr-only">{t('title')}</h1>
        <QuestionCards />
        <Prompt />
        <Attached />
        {run ? <ActionResult run={run} /> : <Reply />}
        {link !== null && (
          <LinkQuestion address={link} onOpen={(url) => void openLink(url)} onEnd={() => setLink(null)} />
        )}
        <Actions />
      </main>
    </MarkdownContext>
  )
}

/** Stops a running text action, then closes its result, then hides the window. */
async function closeStep(): Promise<void> {
  const { run } = useTextActions.getState()
  if (!run) return close()
  if (run.status === 'running') return stopAction()
  closeResult()
  focusPrompt()
}

/** Keys that work anywhere in the window. */
const windowKeys: Readonly<Record<string, () => Promise<void>>> = {
  Escape: closeStep,
  'Mod+Shift+V': addClipboard,
  'Mod+Shift+S': addScreenshot,
  'Mod+O': continueInMain,
  'Mod+Shift+A': async () => useTextActions.setState({ isMenuOpen: true }),
}

function useWindowKeys(): void {
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent): void => {
      if (isComposing(event) || event.defaultPrevented || event.repeat) return
      const act = windowKeys[keysOfPress(event, isMac) ?? '']
      if (!act) return
      event.preventDefault()
      void act()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

function Prompt() {
  const { t } = useTranslation('quick')
  const text = useQuick((state) => state.text)
  const byKey = (event: KeyboardEvent): void => {
    if (!isSendKey(event)) return
    event.preventDefault()
    void send()
  }
  return (
    <header className="quick-prompt">
      <textarea
        dir="auto"
        // biome-ignore lint/a11y/noAutofocus: the window consists of this field
        autoFocus
        rows={1}
        aria-label={t('prompt')}
        placeholder={t('placeholder')}
        value={text}
        onChange={(event) => type(event.target.value)}
        onKeyDown={byKey}
      />
      <IconButton icon={X} label={t('close')} shortcut="Esc" onClick={() => void close()} />
    </header>
  )
}

/** What goes with the next message. */
function Attached() {
  const { t } = useTranslation('quick')
  const clipboard = useQuick((state) => state.clipboard)
  const screenshot = useQuick((state) => state.screenshot)
  const note = useQuick((state) => state.note)
  return (
    <>
      {(clipboard !== null || screenshot !== null) && (
        <ul className="quick-attached" aria-label={t('attached')}>
          {clipboard !== null && (
            <Chip
              name={t('clipboard', { count: clipboard.length })}
              title={clipboard.slice(0, 300)}
              onRemove={removeClipboard}
            />
          )}
          {screenshot?.state === 'taking' && <li role="status">{t('taking')}</li>}
          {screenshot?.state === 'ready' && (
            <Chip name={t('screenshot')} image={mediaPath(screenshot.attachment.mediaId)} onRemove={removeScreenshot} />
          )}
        </ul>
      )}
      {note !== null && (
        <p role="status" className="quick-note">
          {note}
        </p>
      )}
    </>
  )
}

function Chip({
  name,
  title,
  image,
  onRemove,
}: {
  name: string
  title?: string
  image?: string
  onRemove: () => void
}) {
  const { t } = useTranslation('quick')
  return (
    <li title={title}>
      {image !== undefined && <img src={image} alt="" />}
      {name}
      <IconButton icon={X} size="small" label={t('remove', { name })} onClick={onRemove} />
    </li>
  )
}

function Reply() {
  const { t } = useTranslation('quick')
  const reply = useQuick(lastReply)
  const problem = useQuick((state) => state.problem)
  const connection = useApp(({ app }) => app?.connection.state)
  const isWithoutConnection = connection === 'none' || connection === 'failed'
  const running = reply?.status === 'pending' || reply?.status === 'streaming'
  const shownProblem = problem ?? (running ? null : (reply?.problem ?? null))
  if (!reply && !shownProblem && !isWithoutConnection) return <div className="quick-space" />
  return (
    <section
      className="quick-reply"
      aria-label={t('reply')}
      aria-busy={running}
      data-status={reply?.status}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
      tabIndex={0}
    >
      {reply?.model && <h2 className="quick-model">{reply.model}</h2>}
      {isWithoutConnection && !reply && <p className="quick-note">{t('notConnected')}</p>}
      {reply && reply.text === '' && running && (
        <p className="quick-note" role="status">
          {t(reply.reasoning === '' ? 'waiting' : 'thinking')}
        </p>
      )}
      {reply && <Markdown text={reply.text || reply.refusal} growing={reply.status === 'streaming'} />}
      {reply?.status === 'stopped' && <p className="quick-note">{t('stopped')}</p>}
      {reply?.status === 'incomplete' && <p className="quick-note">{t('incomplete')}</p>}
      {shownProblem && <ProblemNotice problem={shownProblem} noAction />}
      <p className="sr-only" role="status">
        {reply?.status === 'complete' && t('done')}
      </p>
    </section>
  )
}

/** The result of an action on the clipboard, in the place of the reply. */
function ActionResult({ run }: { run: ActionRun }) {
  const { t } = useTranslation('textActions')
  return (
    <ResultContent run={run} onRegenerate={() => void runOnClipboard(run.action)} onClose={closeResult}>
      <Button size="small" icon={TextCursorInput} onClick={() => insertIntoPrompt(run)}>
        {t('insertPrompt')}
      </Button>
    </ResultContent>
  )
}

/** The menu of text actions. The chosen action reads the clipboard, unless its text is attached already. */
function TextActionsMenu() {
  const { t } = useTranslation('textActions')
  const actions = useApp(({ app }) => app?.settings.textActions)
  const isMenuOpen = useTextActions((state) => state.isMenuOpen)
  return (
    <Menu
      align="start"
      open={isMenuOpen}
      onOpenChange={(open) => useTextActions.setState({ isMenuOpen: open })}
      trigger={<IconButton icon={Sparkles} label={t('actions')} shortcut={showKeys('Mod+Shift+A', isMac)} />}
    >
      {(actions ?? builtInActions).map((action) => (
        <MenuItem key={action.id} icon={Sparkles} label={nameOf(action)} onSelect={() => void runOnClipboard(action)} />
      ))}
    </Menu>
  )
}

function Actions() {
  const { t } = useTranslation('quick')
  const state = useQuick()
  const app = useApp((store) => store.app)
  const isDesktop = useDesktop((store) => store.client !== null)
  const running = isRunningNow(state)
  const model = modelToAsk(state, app)
  const hasChat = state.open !== null
  return (
    <footer className="quick-actions">
      <Button icon={ClipboardPaste} title={showKeys('Mod+Shift+V', isMac)} onClick={() => void addClipboard()}>
        {t('addClipboard')} {!hasChat && <Kbd quiet>{showKeys('Mod+Shift+V', isMac)}</Kbd>}
      </Button>
      <TextActionsMenu />
      {isDesktop && (
        <Button
          icon={Monitor}
          title={showKeys('Mod+Shift+S', isMac)}
          disabled={state.screenshot?.state === 'taking'}
          onClick={() => void addScreenshot()}
        >
          {t('addScreenshot')} {!hasChat && <Kbd quiet>{showKeys('Mod+Shift+S', isMac)}</Kbd>}
        </Button>
      )}
      <span className="flex-1" />
      {model !== null && !hasChat && (
        <Select
          label={t('model')}
          className="w-32"
          value={model}
          choices={state.models.map((id) => ({ value: id, label: id }))}
          onPick={(picked) => useQuick.setState({ model: picked })}
        />
      )}
      {hasChat && !running && <IconButton icon={Plus} label={t('newPrompt')} onClick={startAgain} />}
      {hasChat && (
        <Button icon={SquareArrowOutUpRight} onClick={() => void continueInMain()}>
          {t('continue')}
        </Button>
      )}
      {running ? (
        <Button icon={Square} onClick={() => void stop()}>
          {t('stop')}
        </Button>
      ) : (
        <Button
          icon={ArrowUp}
          variant="primary"
          disabled={!canSend(state, app)}
          busy={state.isSending}
          onClick={() => void send()}
        >
          {t('send')}
        </Button>
      )}
    </footer>
  )
}
