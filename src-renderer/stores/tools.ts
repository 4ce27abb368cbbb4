import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Tool } from '../../src-preload/contract/tools.ts'

/** Tool keys as the core last told; null until it did. Never holds a secret. */
export const toolsStore = createStore<{ tools: Tool[] | null }>(() => ({ tools: null }))
export const useTools = (): Tool[] | null => useStore(toolsStore, ({ tools }) => tools)
