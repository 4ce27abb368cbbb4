import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { OutboxItem, OutboxKind, OutboxState } from '../../src-preload/contract/outbox.ts'

export const emptyOutbox: OutboxState = { items: [], starting: null, ended: null }

/** Requests that wait for the service to be available again. */
export const outboxStore = createStore<OutboxState>(() => emptyOutbox)
export const useOutbox = <T>(select: (store: OutboxState) => T): T => useStore(outboxStore, select)

/** Selects the outbox items of one feature in the order of sending. With `recordingId`, only those of that recording. */
export const waitingOf =
  (what: OutboxKind, recordingId: string | null = null) =>
  ({ items }: OutboxState): OutboxItem[] =>
    items.filter((item) => item.what === what && (recordingId === null || item.recordingId === recordingId))

export const pageOfOutboxItem = { images: 'images', speech: 'speech', transcript: 'transcribe' } as const
