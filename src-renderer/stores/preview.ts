import { create } from 'zustand'
import { localStore, tabStore } from '../shared/storage.ts'

export const previewKinds = ['html', 'svg', 'markdown', 'mermaid', 'csv', 'json'] as const
/** Kinds of code blocks that can be previewed. */
export type PreviewKind = (typeof previewKinds)[number]

export const previewViews = ['preview', 'code', 'changes'] as const
export type PreviewView = (typeof previewViews)[number]

/** The block that the preview shows. */
export interface PreviewTarget {
  conversationId: string
  messageId: string
  /** Place among the previewable blocks of the message, from 0. */
  index: number
  kind: PreviewKind
  /** Whether the preview changes to the next version when a reply writes one. */
  follow: boolean
}

interface PreviewState {
  target: PreviewTarget | null
  view: PreviewView
  /** Width of the panel beside the chat, px. */
  width: number
}

export const [leastPreviewWidth, usualPreviewWidth] = [320, 460]
const [targetKey, widthKey] = ['chat.preview', 'chat.preview.width']

export const usePreview = create<PreviewState>(() => {
  const { target, view } = readStored()
  return { target, view, width: Math.max(leastPreviewWidth, Number(localStore.get(widthKey)) || usualPreviewWidth) }
})

usePreview.subscribe(({ target, view, width }, before) => {
  if (target !== before.target || view !== before.view) tabStore.setJson(targetKey, { target, view })
  if (width !== before.width) localStore.set(widthKey, String(Math.round(width)))
})

/** The preview before a reload of this tab. */
function readStored(): Pick<PreviewState, 'target' | 'view'> {
  const stored = tabStore.getJson(targetKey)
  if (typeof stored !== 'object' || stored === null) return { target: null, view: 'preview' }
  const { target, view } = stored as Record<string, unknown>
  return { target: readTarget(target), view: previewViews.find((known) => known === view) ?? 'preview' }
}

function readTarget(stored: unknown): PreviewTarget | null {
  if (typeof stored !== 'object' || stored === null) return null
  const { conversationId, messageId, index, kind, follow } = stored as Record<string, unknown>
  const known = previewKinds.find((one) => one === kind)
  if (typeof conversationId !== 'string' || typeof messageId !== 'string' || !known) return null
  if (typeof index !== 'number' || !Number.isInteger(index) || index < 0) return null
  return { conversationId, messageId, index, kind: known, follow: follow === true }
}
