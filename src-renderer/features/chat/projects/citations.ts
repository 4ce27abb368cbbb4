import { useMemo } from 'react'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import type { Citations } from '../../../shared/markdown/context.ts'
import { useChat } from '../../../stores/chat.ts'
import { sourceOf, usePassageDialogs } from './passageDialogs.ts'

const none: readonly Message[] = []

/** The passages of the open chat, which its replies cite by number. Null when it has none. */
export function useCitationsOfChat(): Citations | null {
  // A list that does not change while a reply grows.
  const messages = useChat(({ open }) => open?.settled ?? none)
  return useMemo(() => {
    const passages = new Map(messages.flatMap((one) => one.passages).map((one) => [one.number, one]))
    if (passages.size === 0) return null
    return {
      nameOf(number) {
        const found = passages.get(number)
        return found ? sourceOf(found) : null
      },
      open: (number) => usePassageDialogs.setState({ one: passages.get(number) ?? null }),
    }
  }, [messages])
}
