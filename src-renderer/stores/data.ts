import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Damage, DataState } from '../../src-preload/contract/data.ts'
import type { RetentionState } from '../../src-preload/contract/retention.ts'
import type { SyncState } from '../../src-preload/contract/transfers.ts'

export interface DataStore {
  /** Backup, restore, damage. Null until the first event. */
  data: DataState | null
  erase: RetentionState | null
  /** Whether a sync runs, and its last result. Null until the first event. */
  sync: SyncState | null
}

export const dataStore = createStore<DataStore>(() => ({ data: null, erase: null, sync: null }))
export const useData = <T>(select: (store: DataStore) => T): T => useStore(dataStore, select)

/** Damage that is not dismissed, newest first. */
export const unreadDamage = ({ data }: DataStore): Damage[] =>
  data?.damage.filter(({ acknowledged }) => !acknowledged) ?? []
