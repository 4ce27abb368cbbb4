import { createContext, createElement, type ReactNode, use, useEffect, useState } from 'react'
import { isBusy, type Message } from '../../../src-preload/contract/chat.ts'
import { useChat } from '../../stores/chat.ts'
import { messageIn } from '../../stores/openChat.ts'

/** The current time in Unix ms, updated every `everyMs` while `running`. */
export function useNow(running: boolean, everyMs = 100): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!running) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [running, everyMs])
  return now
}

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
