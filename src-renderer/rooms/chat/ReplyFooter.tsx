import { Check, Copy, GitBranch, RotateCw } from 'lucide-react'
import { useState } from 'react'
import type { Message } from '../../../src-preload/contract/chat.ts'
import { useChat } from '../../stores/chat.ts'
import { copyText, retry } from './actions.ts'
import { tokensPerSecond } from './facts.ts'
import { figure, fineSeconds, useWords, type Words } from './words.ts'

export function ReplyFooter({ reply }: { reply: Message }) {
  const words = useWords()
  const [copied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    if (!(await copyText(reply.text || reply.refusal))) return
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  const facts = factsOf(reply, words)
  const copyWord = words(copied ? 'copied' : 'copyReply')
  return (
    <footer className="chat-under">
      {(reply.text !== '' || reply.refusal !== '') && (
        <button type="button" className="chat-icon" aria-label={copyWord} title={copyWord} onClick={() => void copy()}>
          {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        </button>
      )}
      {reply.status === 'complete' && (
        <button
          type="button"
          className="chat-icon"
          aria-label={words('retry')}
          title={words('retry')}
          onClick={() => void retry(reply.id)}
        >
          <RotateCw aria-hidden />
        </button>
      )}
      {reply.siblings > 1 && (
        <span className="chat-sibling" title={words('sibling', { sibling: reply.sibling, siblings: reply.siblings })}>
          <GitBranch aria-hidden /> {reply.sibling} / {reply.siblings}
        </span>
      )}
      {facts !== '' && (
        <button
          type="button"
          className="chat-facts"
          aria-label={`${words('facts')}: ${facts}`}
          title={words('facts')}
          onClick={() => useChat.setState({ inspected: reply.id })}
        >
          {facts}
        </button>
      )}
    </footer>
  )
}

function factsOf(reply: Message, words: Words): string {
  const tokens = reply.usage?.completionTokens
  const speed = tokensPerSecond(reply)
  return [
    typeof tokens === 'number' ? words('tokens', { tokens: figure(tokens) }) : null,
    reply.firstTokenMs === null ? null : words('toFirst', { seconds: fineSeconds(reply.firstTokenMs) }),
    speed === null ? null : words('perSecond', { speed: figure(Math.round(speed)) }),
  ]
    .filter((part) => part !== null)
    .join(' · ')
}
