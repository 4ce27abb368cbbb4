import { createContext, createElement, type ReactNode, use } from 'react'
import { isBusy, type Message } from '../../../src-preload/contract/chat.ts'
import { useChat } from '../../stores/chat.ts'
import { messageIn } from '../../stores/openChat.ts'

/** One message of the open chat. Only the components of this message render when its text grows. */
export function useMessage(id: string): Message | undefined {
  return useChat((state) => messageIn(state.open, id))
}

const BusyContext = createContext(false)

/** Subscribes to the store once for all `useBusy` below it, so that a change of the store costs the same for any number of messages. */
export function BusyProvider({ children }: { children: ReactNode }) {
  const busy = useChat((state) => isBusy(state.open?.messages ?? []))
  return createElement(BusyContext, { value: busy }, children)
}

/** Whether the last reply of the open chat, or one of its tool calls, is still running. Meanwhile, nothing else can be requested. */
export const useBusy = (): boolean => use(BusyContext)
