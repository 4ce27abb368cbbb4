import type { ReactNode } from 'react'
import { useNow } from './hooks.ts'
import { fullTime, seconds, timeOfDay, useChatTranslate } from './messages.ts'

/** Author and time. `children` are the actions. */
export function Who(props: {
  name: string
  /** `messages[].name`, when set. */
  as?: string | null
  instant: string
  mine?: boolean
  streaming?: boolean
  children?: ReactNode
}) {
  return (
    <header className="chat-who">
      <span className={props.mine ? 'chat-dot' : 'chat-dot chat-dot-a'} aria-hidden>
        {initial(props.name)}
      </span>
      <h2 className="chat-name" title={props.name}>
        {props.name}
      </h2>
      {props.as && <span className="chat-as">{props.as}</span>}
      {props.streaming ? (
        <StreamingFor since={props.instant} />
      ) : (
        <time dateTime={props.instant} title={fullTime(props.instant)}>
          {timeOfDay(props.instant)}
        </time>
      )}
      {props.children}
    </header>
  )
}

/** The first letter or digit, because a name may start with a sign. */
const initial = (name: string): string => (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? name.charAt(0)).toUpperCase()

function StreamingFor({ since }: { since: string }) {
  const t = useChatTranslate()
  const now = useNow(true)
  return <time>{t('streamingFor', { seconds: seconds(now - Date.parse(since)) })}</time>
}
