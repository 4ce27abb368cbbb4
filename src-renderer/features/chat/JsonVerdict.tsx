import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { Message } from '../../../src-preload/contract/chat.ts'
import { useChatTranslate } from './messages.ts'

/** Whether a reply in JSON format is valid JSON and matches its schema. */
export function JsonVerdict({ reply }: { reply: Message }) {
  const t = useChatTranslate()
  const { jsonFaults } = reply
  if (jsonFaults === null) return null
  const schema = reply.params?.responseFormat?.type === 'json_schema'
  if (jsonFaults.length === 0)
    return (
      <p className="chat-verdict" data-good>
        <CircleCheck aria-hidden /> {t(schema ? 'jsonMatches' : 'jsonValid')}
      </p>
    )
  return (
    <div className="chat-verdict">
      <TriangleAlert aria-hidden />
      <div>
        <p>{t(schema ? 'jsonMismatch' : 'jsonInvalid', { count: jsonFaults.length })}</p>
        <ul>
          {jsonFaults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      </div>
    </div>
  )
}
