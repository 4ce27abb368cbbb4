import { ModelAvatar } from '../../shared/ui/ModelAvatar.tsx'
import { useNow } from '../../shared/useNow.ts'
import { fullTime, seconds, timeOfDay, useChatTranslate } from './messages.ts'
import { useModelColor } from './modelColor.ts'

/** Author and time. The person's own messages have no avatar, because their position on the page identifies them. */
export function Who(props: {
  name: string
  /** The model behind `name`, for the colour. Several replies of one model have one colour. Null: the person's own message. */
  model: string | null
  /** `messages[].name`, when set. */
  as?: string | null
  instant: string
  streaming?: boolean
}) {
  return (
    <header className="chat-who">
      {props.model !== null && <Avatar model={props.model} />}
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

function Avatar({ model }: { model: string }) {
  return <ModelAvatar model={model} color={useModelColor(model)} />
}

function StreamingFor({ since }: { since: string }) {
  const t = useChatTranslate()
  const now = useNow(100)
  return <time>{t('streamingFor', { seconds: seconds(now - Date.parse(since)) })}</time>
}
