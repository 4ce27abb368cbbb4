import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { WaitingItem, WaitingState, WaitingWhat } from '../../src-preload/contract/outbox.ts'

export const emptyOutbox: WaitingState = { items: [], making: null, ended: null }

/** What is sent when the service is back, as the core told it last. */
export const outboxStore = createStore<WaitingState>(() => emptyOutbox)
export const useOutbox = <T>(select: (store: WaitingState) => T): T => useStore(outboxStore, select)

/** Of one room, in the order in which they are sent; of one recording where that is named. */
export const waitingOf =
  (what: WaitingWhat, recordingId: string | null = null) =>
  ({ items }: WaitingState): WaitingItem[] =>
    items.filter((item) => item.what === what && (recordingId === null || item.recordingId === recordingId))

export const featureOfOutboxItem = { images: 'images', speech: 'speech', transcript: 'transcribe' } as const
