import { Eraser, Gauge, History, ListChecks, MessageSquare, RotateCw, Square, SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { App } from '../../../src-preload/contract/apps.ts'
import type { RequestDetail, RequestRow } from '../../../src-preload/contract/requests.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { useApp } from '../../stores/app.ts'
import { useApps } from '../../stores/apps.ts'
import { isOpen, useRequests } from '../../stores/requests.ts'
import { Confirmed } from './AppActions.tsx'
import { askDetail, attempt, inspectRow, openAsChat, say, showDialog, toggleMark } from './actions.ts'
import { asCurl, keyPlaceholder } from './curl.ts'
import { EditDialog } from './EditDialog.tsx'
import { budgets } from './form.ts'
import { recordedRequest } from './recorded.ts'

/** The address in the copied command line while the proxy is off. */
const offAddress = 'http://127.0.0.1:8787/v1'

/** The actions of a request. */
export function RequestActions({ row, detail }: { row: RequestRow; detail: RequestDetail | null }) {
  const { t } = useTranslation('proxy')
  const studio = useStudio()
  const baseUrl = useApp(({ app }) => app?.proxy.baseUrl ?? null)
  const [stopping, setStopping] = useState(false)
  const [erasing, setErasing] = useState(false)

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
      {detail && !isOpen(row) && row.method === 'POST' && row.who.kind !== 'stranger' && <Recorded detail={detail} />}
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

/** What can be done with a request whose body is stored. */
function Recorded({ detail }: { detail: RequestDetail }) {
  const { t } = useTranslation('proxy')
  const { row, againOf } = detail
  const isMarked = useRequests(({ marked }) => marked.has(row.id))
  const request = recordedRequest(detail.requestBody)
  if (typeof request === 'string')
    return row.hasBodies && <p className="basis-full text-soft">{t(`again.whyNot.${request}`)}</p>
  return (
    <>
      <Button icon={RotateCw} onClick={() => showDialog({ kind: 'ask', detail })}>
        {t('again.ask')}
      </Button>
      {row.endpoint === 'chat' && (
        <Button icon={MessageSquare} onClick={() => void openAsChat(detail)}>
          {t('again.openAsChat')}
        </Button>
      )}
      <Button icon={History} onClick={() => showDialog({ kind: 'replay', selection: { ids: [row.id] } })}>
        {t('again.replay')}
      </Button>
      <Button icon={ListChecks} onClick={() => toggleMark(row.id)}>
        {t(isMarked ? 'again.unmark' : 'again.mark')}
      </Button>
      {againOf !== null && (
        <p className="num flex basis-full flex-wrap items-center gap-x-2 text-soft">
          {t('again.repeats')}
          <Button variant="plain" size="small" onClick={() => inspectRow(againOf)}>
            {t('again.showOriginal')}
          </Button>
        </p>
      )}
    </>
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
  const { kind } = problem
  const first = budgets.find((name) => name.toLowerCase() === kind.replace('_', ''))
  return (
    <>
      <Button variant="primary" icon={Gauge} onClick={() => setEdited(app)}>
        {t('apps.blocked.raise')}
      </Button>
      <EditDialog app={edited} first={first} bodyDays={bodyDays} onClose={() => setEdited(null)} />
    </>
  )
}
