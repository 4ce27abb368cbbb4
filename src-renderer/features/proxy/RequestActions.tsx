import { Eraser, Gauge, MessageSquare, Square, SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { App } from '../../../src-preload/contract/apps.ts'
import type { RequestDetail, RequestRow } from '../../../src-preload/contract/requests.ts'
import { navigate } from '../../shared/navigation.ts'
import { offerNewChat } from '../../shared/newChatDraft.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { useApp } from '../../stores/app.ts'
import { useApps } from '../../stores/apps.ts'
import { isOpen } from '../../stores/requests.ts'
import { Confirmed } from './AppActions.tsx'
import { askDetail, attempt, closeOver, say } from './actions.ts'
import { lastUserText } from './bodies.ts'
import { asCurl, keyPlaceholder } from './curl.ts'
import { EditDialog } from './EditDialog.tsx'

/** The address in the copied command line while the proxy is off. */
const offAddress = 'http://127.0.0.1:8787/v1'

/** The actions of a request. */
export function RequestActions({ row, detail }: { row: RequestRow; detail: RequestDetail | null }) {
  const { t } = useTranslation('proxy')
  const studio = useStudio()
  const baseUrl = useApp(({ app }) => app?.proxy.baseUrl ?? null)
  const [stopping, setStopping] = useState(false)
  const [erasing, setErasing] = useState(false)
  const said = row.endpoint === 'chat' ? lastUserText(detail?.requestBody ?? null) : null

  const stop = async () => {
    setStopping(true)
    await attempt(async () => {
      const { stopped } = await studio.requests.stop({ id: row.id })
      say('stop', t(stopped ? 'detail.stopped' : 'detail.hadEnded'))
    })
    setStopping(false)
  }
  const curl = async () => {
    if (!detail) return
    const { text, body } = asCurl(detail, baseUrl ?? offAddress)
    const words = body === 'left out' ? 'detail.curlNoBody' : 'detail.curlCopied'
    await navigator.clipboard.writeText(text).then(
      () => say('curl', t(words, { placeholder: keyPlaceholder })),
      () => say('curl', t('detail.copyFailed')),
    )
  }
  const toChat = () => {
    if (said === null) return
    offerNewChat(said)
    closeOver()
    navigate({ page: 'chat', id: null })
  }
  const erase = async () => {
    const { erased } = await studio.requests.deleteBodies({ id: row.id })
    say('erased', t('apps.bodiesErased', { count: erased }))
    await askDetail(row.id)
  }
  const logged = row.hasBodies || detail?.requestBody || detail?.replyBody
  return (
    <div className="flex flex-wrap gap-1.5 border-line border-b px-4 py-3">
      <RaiseBudget row={row} />
      {isOpen(row) && (
        <Button variant="danger" icon={Square} busy={stopping} onClick={() => void stop()}>
          {t('detail.stop')}
        </Button>
      )}
      {row.who.kind !== 'stranger' && (
        <Button icon={SquareTerminal} disabled={!detail} onClick={() => void curl()}>
          {t('detail.curl')}
        </Button>
      )}
      {said !== null && (
        <Button icon={MessageSquare} onClick={toChat}>
          {t('detail.openInChat')}
        </Button>
      )}
      {logged && (
        <Button icon={Eraser} onClick={() => setErasing(true)}>
          {t('detail.erase')}
        </Button>
      )}
      <Confirmed
        open={erasing}
        title={t('detail.eraseTitle')}
        about={t('detail.eraseAbout')}
        confirm={t('detail.erase')}
        ask={erase}
        onClose={() => setErasing(false)}
      />
    </div>
  )
}

/** For a request that was refused because of a budget of its app: opens the settings of that app. */
function RaiseBudget({ row }: { row: RequestRow }) {
  const { t } = useTranslation('proxy')
  const bodyDays = useApp(({ app }) => app?.settings.bodyDays ?? 0)
  const [edited, setEdited] = useState<App | null>(null)
  const { who, state, problem } = row
  const app = useApps()?.find(({ id, revokedAt }) => who.kind === 'app' && id === who.id && revokedAt === null)
  if (!app || state !== 'refused' || !problem?.kind.startsWith('budget_')) return null
  return (
    <>
      <Button variant="primary" icon={Gauge} onClick={() => setEdited(app)}>
        {t('apps.blocked.raise')}
      </Button>
      <EditDialog app={edited} bodyDays={bodyDays} onClose={() => setEdited(null)} />
    </>
  )
}
