import { transferPath } from '../../../../src-preload/contract/transfers.ts'
import { saveBlob } from '../../../api/transfer.ts'
import { desktopStore } from '../../../shared/desktop.ts'
import type { BlockInChat } from '../../../shared/markdown/context.ts'
import { appStore } from '../../../stores/app.ts'
import { useChat } from '../../../stores/chat.ts'
import { messageIn } from '../../../stores/openChat.ts'
import { usePreview } from '../../../stores/preview.ts'
import { attempt } from '../client.ts'
import { focusComposer, focusSoon } from '../focus.ts'
import { blocksOf } from './blocks.ts'
import { fileKinds, fileNameOf, kindOf } from './kinds.ts'
import { artifactsOf, type PreviewVersion } from './versions.ts'

/** The button that opened the preview. */
let opener: HTMLElement | null = null

/** Shows a block of a message beside the chat, and moves the focus there. */
export function openPreview({ language, text, open }: BlockInChat, from: HTMLElement): void {
  const { open: chat } = useChat.getState()
  const messageId = from.closest('[data-message-id]')?.getAttribute('data-message-id')
  const message = messageId ? messageIn(chat, messageId) : undefined
  const kind = kindOf(language, text)
  if (!chat || !message || kind === null) return
  const bare = text.replace(/\n$/, '')
  const blocks = blocksOf(message)
  const same = blocks.findIndex((block) => block.kind === kind && block.text === bare)
  // A block that grows may have grown since the click.
  const index =
    same >= 0 ? same : blocks.findLastIndex((block) => block.kind === kind && (open || block.text.startsWith(bare)))
  if (index < 0) return
  const versions = artifactsOf(chat.messages).find((all) =>
    all.some((version) => version.messageId === message.id && version.index === index),
  )
  const newest = versions?.at(-1)
  const follow = newest === undefined || (newest.messageId === message.id && newest.index === index)
  opener = from
  // The preview takes the inspector's place.
  appStore.setState({ inspectorShown: false })
  usePreview.setState({
    target: { conversationId: chat.id, messageId: message.id, index, kind, follow },
    view: 'preview',
  })
  focusSoon(() => document.querySelector<HTMLElement>('.chat-preview-title'))
}

/** Closes the preview. The focus returns to the button that opened it, otherwise to the composer. */
export function closePreview(): void {
  const { target } = usePreview.getState()
  usePreview.setState({ target: null })
  const before = opener
  opener = null
  if (before?.isConnected) focusSoon(() => before)
  else if (target) {
    const selector = `[data-message-id="${CSS.escape(target.messageId)}"] [data-preview="${target.kind}"]`
    if (document.querySelector(selector)) focusSoon(() => document.querySelector<HTMLElement>(selector))
    else focusComposer()
  }
}

/** Shows a version. While the newest version is shown, the next version of a reply replaces it. */
export function showVersion(versions: readonly PreviewVersion[], at: number): void {
  const version = versions[at]
  const { target } = usePreview.getState()
  if (!version || !target) return
  const { messageId, index } = version
  usePreview.setState({ target: { ...target, messageId, index, follow: at === versions.length - 1 } })
}

/** Saves a block as a file of its kind. */
export function saveVersion({ kind, text, title }: PreviewVersion): void {
  saveBlob(new Blob([text], { type: `${fileKinds[kind].mime};charset=utf-8` }), fileNameOf(kind, title))
}

/**
 * Runs the scripts of a page: in a window without network, which the desktop opens. A browser has no such window, so the page must be opened
 * as a document of its own, which `ask` lets the person confirm.
 */
export async function runPage({ text, title, kind }: PreviewVersion, ask: () => void): Promise<void> {
  const { client } = desktopStore.getState()
  if (client) await attempt(() => client.runPage({ name: title || fileNameOf(kind, ''), html: text }))
  else ask()
}

/** Opens a page or an image in the browser, as a document without access to this program. A failed call shows as a notice of the page. */
export async function openInBrowser({ kind, text }: PreviewVersion): Promise<void> {
  const html = kind === 'svg' ? `<!doctype html><meta charset="utf-8">${text}` : text
  const opened = await attempt((client) => client.transfers.openPage({ html }))
  // The desktop's core has opened an address of its own.
  if (opened && opened.pageId !== null) window.open(transferPath(opened.pageId), '_blank', 'noopener')
}
