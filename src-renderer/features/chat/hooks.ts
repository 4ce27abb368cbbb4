import { createContext, createElement, type ReactNode, use, useEffect } from 'react'
import { isBusy, type Message } from '../../../src-preload/contract/chat.ts'
import { isComposing } from '../../shared/isComposing.ts'
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

/** Whether the last reply of the open chat, or one of its tool calls, is still running. Until it ends, nothing else can be requested. */
export const useBusy = (): boolean => use(BusyContext)

/**
 * Runs `stop` at Escape while `isRunning`, before the page sees the key. Escape stops the innermost running thing first, and an open menu or
 * dialog is further inside.
 */
export function useEscapeToStop(isRunning: boolean, stop: () => void): void {
  useEffect(() => {
    if (!isRunning) return
    const byKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || isComposing(event) || document.querySelector('dialog[open], [role="menu"]')) return
      event.preventDefault()
      event.stopPropagation()
      stop()
    }
    addEventListener('keydown', byKey, { capture: true })
    return () => removeEventListener('keydown', byKey, { capture: true })
  }, [isRunning, stop])
}
