import { useEffect, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { useCall } from '../../../shared/useCall.ts'
import { useApp } from '../../../stores/app.ts'
import { useChat } from '../../../stores/chat.ts'
import { allowAll, resume } from './actions.ts'
import { cardState } from './appearance.ts'
import { isLastRound, isSettledRun, roundsUpTo, rowsOf, type ToolRow } from './round.ts'

/** The rows below a reply. The array keeps its identity until one of them changes. */
export function useRows(replyId: string): ToolRow[] {
  return useChat(useShallow((state) => rowsOf(state.open?.messages ?? [], replyId)))
}

/** Actions for all calls of one reply: allow all, and continue when continuing requires the person. */
export function ToolRound({ replyId }: { replyId: string }) {
  const rows = useRows(replyId)
  const awaiting = rows.filter(({ run }) => cardState(run, false) === 'awaiting')
  if (awaiting.length > 1) return <AllowAll rows={awaiting} />
  const last = rows.at(-1)
  return last && rows.every(({ run }) => isSettledRun(run)) ? <ContinueToolRound replyId={replyId} last={last} /> : null
}

function AllowAll({ rows }: { rows: ToolRow[] }) {
  const t = useToolTranslate()
  const { busy, run } = useCall()
  const allow = () => run(() => allowAll(rows.map(({ id }) => id)))
  return (
    <div className="my-2 flex flex-wrap items-center gap-2">
      <Button size="small" busy={busy} onClick={allow}>
        {t('round.allowAll', { count: rows.length })}
      </Button>
      <span className="text-faint text-s">{t('round.allowAllHint')}</span>
    </div>
  )
}

/** Time after the end of a round before the window offers to continue manually, ms. */
const patience = 700

function ContinueToolRound({ replyId, last }: { replyId: string; last: ToolRow }) {
  const t = useToolTranslate()
  const bound = useApp(({ app }) => app?.settings.toolRounds ?? 10)
  const rounds = useChat(({ open }) => roundsUpTo(open?.messages ?? [], replyId))
  const ends = useChat(({ open }) => isLastRound(open?.messages ?? [], replyId))
  const [waited, setWaited] = useState(false)
  const { busy, run } = useCall()
  useEffect(() => {
    const timer = setTimeout(() => setWaited(true), patience)
    return () => clearTimeout(timer)
  }, [])
  // The next reply starts automatically, except after the round limit, a stop or a failure.
  if (!ends || !waited) return null
  const go = () => run(() => resume(last.id))
  return (
    <div role="status" className="my-2 flex flex-wrap items-center gap-x-3 gap-y-2 text-s">
      <span>{rounds >= bound ? t('round.limitReached', { count: rounds }) : t('round.repliesMissing')}</span>
      <Button size="small" variant="primary" busy={busy} onClick={go}>
        {t('round.continue')}
      </Button>
    </div>
  )
}
