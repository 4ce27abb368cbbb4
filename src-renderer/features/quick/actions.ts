import type { TextAction } from '../../../src-preload/contract/app.ts'
import { emptySetup } from '../../../src-preload/contract/chat.ts'
import { type GivenFile, givenPath, type WindowEvent } from '../../../src-preload/contract/desktop.ts'
import type { Client, DesktopClient } from '../../api/connect.ts'
import { perFrame } from '../../api/frames.ts'
import { problemOf } from '../../api/problem.ts'
import { upload } from '../../api/transfer.ts'
import { subscribe, watchWithRetry } from '../../api/watch.ts'
import { i18n } from '../../i18n/index.ts'
import { askOnce, intentChanged, type Place } from '../../shared/requestIds.ts'
import { closeResult, runAction } from '../../shared/textActions/run.ts'
import type { ActionRun } from '../../shared/textActions/state.ts'
import { appStore } from '../../stores/app.ts'
import { foldEvents, opening } from '../../stores/openChat.ts'
import { canSend, emptyPrompt, isKnown, isRunningNow, lastReply, messageText, modelToAsk, useQuick } from './state.ts'

let client: Client | null = null
let desktop: DesktopClient | null = null
let watching: AbortController | null = null

const place: Place = { scope: 'quick', name: 'send', isMade: isKnown }
const fail = (thrown: unknown): void => useQuick.setState({ problem: problemOf(thrown), note: null })

/** Connects the actions to the core. @param host the desktop host, or null under the web host */
export function startQuickPrompt(core: Client, host: DesktopClient | null): void {
  client = core
  desktop = host
  let answering: string | null = null
  const read = (): void => {
    const { connection } = appStore.getState().app ?? {}
    const service = connection?.state === 'connected' ? (connection.profile?.id ?? null) : null
    if (service === answering) return
    answering = service
    if (service !== null) void loadModels(core)
  }
  appStore.subscribe(read)
  read()
  if (!host) return
  const take = ({ type }: WindowEvent): void => {
    if (type === 'shown') focusPrompt()
  }
  subscribe(host, (signal) => host.watchWindow(undefined, { signal }), take)
}

export const focusPrompt = (): void => document.querySelector<HTMLTextAreaElement>('.quick textarea')?.focus()

async function loadModels(core: Client): Promise<void> {
  try {
    const { models } = await core.models.list({ refresh: false })
    const { facts } = await core.models.facts()
    const notForChat = new Set(facts.filter((one) => one.notForChat !== null).map(({ id }) => id))
    useQuick.setState({ models: models.map(({ id }) => id).filter((id) => !notForChat.has(id)) })
  } catch (thrown) {
    fail(thrown)
  }
}

export function type(text: string): void {
  intentChanged(place)
  useQuick.setState({ text })
}

/** Sends the message. It starts a chat, or continues the chat of this window. */
export async function send(): Promise<void> {
  const state = useQuick.getState()
  const { app } = appStore.getState()
  const model = modelToAsk(state, app)
  if (!client || model === null || !canSend(state, app)) return
  const { text, clipboard, screenshot, open } = state
  const core = client
  const message = {
    conversationId: open?.id ?? null,
    text: messageText(state),
    models: [model],
    attachments:
      screenshot?.state === 'ready'
        ? [{ mediaId: screenshot.attachment.mediaId, detail: screenshot.attachment.detail }]
        : [],
    ...(open ? {} : { setup: { ...emptySetup, instructions: app?.settings.newChatInstructions ?? '' } }),
  }
  useQuick.setState({ isSending: true, problem: null, note: null, text: '', clipboard: null, screenshot: null })
  try {
    const sent = await askOnce(place, message, (requestId) => core.chat.send({ requestId, ...message }))
    useQuick.setState({ isSending: false })
    if (useQuick.getState().open?.id !== sent.conversationId) follow(core, sent.conversationId)
  } catch (thrown) {
    // The message returns, unless the person has typed something else.
    const typed = useQuick.getState().text
    useQuick.setState({
      isSending: false,
      problem: problemOf(thrown),
      ...(typed === '' ? { text, clipboard, screenshot } : {}),
    })
  }
}

function follow(core: Client, conversationId: string): void {
  watching?.abort()
  const ended = new AbortController()
  watching = ended
  useQuick.setState({ open: opening(conversationId) })
  void watchWithRetry(
    core,
    ended.signal,
    async (signal) => {
      const missed = new AbortController()
      const events = perFrame((batch: Parameters<typeof foldEvents>[1]) => {
        const { open } = useQuick.getState()
        if (open?.id !== conversationId) return
        const next = foldEvents(open, batch)
        useQuick.setState({ open: next })
        if (next.state === 'gap') missed.abort()
      })
      try {
        const either = AbortSignal.any([signal, missed.signal])
        for await (const event of await core.chat.watch({ conversationId }, { signal: either })) events.push(event)
      } finally {
        if (signal.aborted) events.drop()
      }
    },
    fail,
  )
}

/** Stops the running reply. What has arrived stays. */
export async function stop(): Promise<void> {
  const reply = lastReply(useQuick.getState())
  if (client && reply) await client.chat.stop({ replyId: reply.id }).catch(fail)
}

/** Adds the text of the clipboard to the next message. */
export async function addClipboard(): Promise<void> {
  intentChanged(place)
  try {
    const text = desktop ? (await desktop.readClipboard()).text : await navigator.clipboard.readText()
    if (text.trim() === '') useQuick.setState({ note: i18n.t('quick:clipboardEmpty') })
    else useQuick.setState({ clipboard: text, note: null, problem: null })
  } catch (thrown) {
    if (desktop) fail(thrown)
    else useQuick.setState({ note: i18n.t('quick:clipboardRefused') })
  }
  focusPrompt()
}

/**
 * Runs a text action on the clipboard's text: the attached one, otherwise the current one, which is attached then. Nothing is read or sent
 * before the person has chosen the action.
 */
export async function runOnClipboard(action: TextAction): Promise<void> {
  if (useQuick.getState().clipboard === null) await addClipboard()
  const state = useQuick.getState()
  if (!client || state.clipboard === null) return
  const nowhere = { left: 0, right: 0, top: 0, bottom: 0 }
  const models = { listed: state.models, other: modelToAsk(state, appStore.getState().app) }
  await runAction(client, action, { text: state.clipboard, place: nowhere, field: null, layer: null }, models)
}

/** Moves a result of a text action into the prompt, in the place of the clipboard. */
export function insertIntoPrompt({ text }: ActionRun): void {
  closeResult()
  removeClipboard()
  const typed = useQuick.getState().text
  type(typed.trim() === '' ? text : `${typed}\n\n${text}`)
  focusPrompt()
}

/** Takes a screenshot and adds it to the next message. Desktop only. */
export async function addScreenshot(): Promise<void> {
  if (!desktop || !client || useQuick.getState().screenshot?.state === 'taking') return
  intentChanged(place)
  useQuick.setState({ screenshot: { state: 'taking' }, problem: null, note: null })
  try {
    const file = await fetchGiven(await desktop.takeScreenshot())
    const kept = await client.media.addImage({ uploadId: await upload(client, file) })
    // The person removed the screenshot during its upload.
    if (useQuick.getState().screenshot === null) return
    useQuick.setState({ screenshot: { state: 'ready', attachment: { ...kept, name: file.name, detail: null } } })
  } catch (thrown) {
    useQuick.setState({ screenshot: null, problem: problemOf(thrown) })
  }
  focusPrompt()
}

async function fetchGiven({ id, name, mime }: GivenFile): Promise<File> {
  const reply = await fetch(givenPath + id, { cache: 'no-store' })
  if (!reply.ok) throw new Error(`The screenshot could not be read (${reply.status}).`)
  return new File([await reply.blob()], name, { type: mime })
}

export function removeClipboard(): void {
  intentChanged(place)
  useQuick.setState({ clipboard: null })
}

export function removeScreenshot(): void {
  intentChanged(place)
  useQuick.setState({ screenshot: null })
}

/** Starts with an empty prompt. The chat stays in the list of the main window. */
export function startAgain(): void {
  watching?.abort()
  watching = null
  useQuick.setState(emptyPrompt)
  focusPrompt()
}

/** Hides the window. A running reply continues and is shown again with the window. A finished chat is replaced by an empty prompt. */
export async function close(): Promise<void> {
  const state = useQuick.getState()
  if (!desktop) return location.assign('/')
  await desktop.hideQuickPrompt().catch(fail)
  if (state.open !== null && !isRunningNow(state) && state.text === '') startAgain()
}

/** Opens the chat of this window, or a new one, in a main window. */
export async function continueInMain(): Promise<void> {
  const { open } = useQuick.getState()
  if (!open) return
  if (!desktop) return location.assign(`/#/chat/${encodeURIComponent(open.id)}`)
  try {
    await desktop.openConversation({ conversationId: open.id })
    startAgain()
  } catch (thrown) {
    fail(thrown)
  }
}

/** Opens an address of a reply in the system's browser, after the person has seen it. */
export async function openLink(url: string): Promise<void> {
  await client?.app.openExternal({ url }).catch(fail)
}

export const copyText = (text: string): Promise<boolean> =>
  navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )
