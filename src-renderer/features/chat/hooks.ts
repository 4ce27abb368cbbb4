import { useEffect, useState } from 'react'
import { isBusy, type Message } from '../../../src-preload/contract/chat.ts'
import { useChat } from '../../stores/chat.ts'
import { messageIn } from '../../stores/openChat.ts'

/** The time now in ms, moving every `every` ms while `running`. */
export function useNow(running: boolean, every = 100): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!running) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), every)
    return () => clearInterval(timer)
  }, [running, every])
  return now
}

/** One message of the open conversation: its component alone is drawn again when its text grows. */
export function useMessage(id: string): Message | undefined {
  return useChat((state) => messageIn(state.open, id))
}

/** Whether nothing can be asked for in the open conversation, because its last reply or a tool of it is still running. */
export const useBusy = (): boolean => useChat((state) => isBusy(state.open?.messages ?? []))
