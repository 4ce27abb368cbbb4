import { useTranslation } from 'react-i18next'
import type { AppState } from '../../../src-preload/contract/app.ts'
import { joinSentences, showSpan } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { openConnectionSettings } from '../../shared/navigation.ts'
import { Notice } from '../../shared/ui/Notice.tsx'
import { useNow } from '../../shared/useNow.ts'
import { showTime } from './figures.ts'

/** The reasons why apps get no answers, each with one action. */
export function ProxyNotices(props: {
  proxy: AppState['proxy']
  allPaused: boolean
  onEnable: () => void
  onResumeAll: () => void
}) {
  const { t } = useTranslation('proxy')
  const { proxy } = props
  const moved = proxy.port !== null && proxy.wantedPort !== 0 && proxy.port !== proxy.wantedPort
  return (
    <>
      {proxy.problem && <ProblemNotice problem={proxy.problem} on={{ retry: props.onEnable }} />}
      {proxy.state === 'off' && !proxy.problem && (
        <Notice kind="info" action={{ label: t('listen'), onClick: props.onEnable }}>
          {t('notices.off')}
        </Notice>
      )}
      {proxy.state === 'waiting' && !proxy.problem && (
        <Notice
          kind="warn"
          action={{
            label: t('notices.toSettings'),
            onClick: openConnectionSettings,
          }}
        >
          {t('notices.waiting')}
        </Notice>
      )}
      {moved && (
        <Notice kind="warn">
          {t('notices.portMoved', { wanted: String(proxy.wantedPort), port: String(proxy.port) })}
        </Notice>
      )}
      {props.allPaused && (
        <Notice kind="warn" action={{ label: t('resumeAll'), onClick: props.onResumeAll }}>
          {t('notices.allPaused')}
        </Notice>
      )}
      <Queue heldUntil={proxy.heldUntil} waiting={proxy.waiting} />
    </>
  )
}

/** The reason why requests wait: a delay that the service asked for, or the queue. */
function Queue({ heldUntil, waiting }: { heldUntil: string | null; waiting: number }) {
  const { t } = useTranslation('proxy')
  const now = useNow(1_000, heldUntil !== null)
  const left = heldUntil === null ? 0 : Date.parse(heldUntil) - now
  const queue = waiting > 0 ? t('notices.inQueue', { count: waiting }) : ''
  if (heldUntil !== null && left > 0) {
    const seconds = Math.ceil(left / 1_000)
    const inWords = showSpan(seconds, 0)
    return (
      <Notice kind="warn" role="status">
        {joinSentences([t('notices.held', { at: showTime(heldUntil, now), left: inWords }), queue])}
      </Notice>
    )
  }
  if (queue === '') return null
  return <Notice kind="info">{queue}</Notice>
}
