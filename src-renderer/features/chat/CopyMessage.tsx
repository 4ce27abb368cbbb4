import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Message } from '../../../src-preload/contract/chat.ts'
import { ActionButton } from './actionButtons.tsx'
import { copyText } from './actions.ts'
import { useChatTranslate } from './messages.ts'

/** Copies a message as written: a reply as Markdown. */
export function CopyMessage({ message }: { message: Message }) {
  const t = useChatTranslate()
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [copied])
  const text = message.text || message.refusal
  if (text === '') return null
  const name = t(copied ? 'copied' : message.role === 'assistant' ? 'copyReply' : 'copyTurn')
  const copy = async (): Promise<void> => setCopied(await copyText(text))
  return <ActionButton icon={copied ? Check : Copy} label={name} action="copy" onClick={() => void copy()} />
}
