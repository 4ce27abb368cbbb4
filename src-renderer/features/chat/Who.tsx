import { ModelAvatar } from '../../shared/ui/ModelAvatar.tsx'
import { useNow } from '../../shared/useNow.ts'
import { fullTime, seconds, timeOfDay, useChatTranslate } from './messages.ts'

/** Author and time. The person's own messages have no avatar, because their position on the page identifies them. */
export function Who(props: {
  name: string
  /** `messages[].name`, when set. */
  as?: string | null
  instant: string
  mine?: boolean
  streaming?: boolean
}) {
  return (
    <header className="chat-who">
      {!props.mine && <ModelAvatar model={props.name} />}
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
    </header>
  )
}

function StreamingFor({ since }: { since: string }) {
  const t = useChatTranslate()
  const now = useNow(100)
  return <time>{t('streamingFor', { seconds: seconds(now - Date.parse(since)) })}</time>
}
