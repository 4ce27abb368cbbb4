import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { WaitingItem, WaitingState, WaitingWhat } from '../../src-preload/contract/outbox.ts'

export const emptyOutbox: WaitingState = { items: [], making: null, ended: null }

/** Requests that are sent when the service is available again. */
export const outboxStore = createStore<WaitingState>(() => emptyOutbox)
export const useOutbox = <T>(select: (store: WaitingState) => T): T => useStore(outboxStore, select)

/** Selects the outbox items of one feature in the order of sending. With `recordingId`, only those of that recording. */
export const waitingOf =
  (what: WaitingWhat, recordingId: string | null = null) =>
  ({ items }: WaitingState): WaitingItem[] =>
    items.filter((item) => item.what === what && (recordingId === null || item.recordingId === recordingId))

export const featureOfOutboxItem = { images: 'images', speech: 'speech', transcript: 'transcribe' } as const
