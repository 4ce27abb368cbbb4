import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { problemOf } from '../../api/problem.ts'
import { joinSentences } from '../../i18n/format.ts'
import { useRoute } from '../../stores/route.ts'
import { navigate, openConnectionSettings } from '../navigation.ts'
import { useStudio } from '../studioContext.ts'
import { showToast } from '../toasts.ts'
import { Button } from '../ui/Button.tsx'
import { Notice } from '../ui/Notice.tsx'
import { type ProblemTarget, problemTone } from './actions.ts'
import { detailsOf, maxShown, messageBeside, serviceMessage, waitSeconds } from './details.ts'
import { problemAction, problemTexts } from './texts.ts'

export interface ProblemNoticeProps {
  problem: Problem
  /** Handlers of the surrounding component. Without a handler for `retry` or `edit`, the button is absent. */
  on?: Partial<Record<ProblemTarget, () => void>>
  /** Hides the action, for example because a form already offers it. */
  noAction?: boolean
  /** Replaces the title of the kind, for example with the name of what failed. */
  title?: string
  /** Replaces the sentence of the kind, where another one says more. */
  meaning?: string
  /** Further buttons, after the action. */
  children?: ReactNode
  role?: 'alert' | 'status' | 'note'
  className?: string
}

/** Kinds whose general text refers to Settings. */
const sentToSettings = ['unauthorized', 'not_found', 'not_connected', 'port_taken'] as const

/**
 * The card of a failure, the same on every page: what happened, what it means, the service's own words, all buttons, and the facts behind
 * "Details".
 */
export function ProblemNotice({ problem, on = {}, noAction = false, role = 'alert', ...given }: ProblemNoticeProps) {
  const { t } = useTranslation(['problems', 'common'])
  const studio = useStudio()
  const [busy, setBusy] = useState(false)
  const { target, label } = problemAction(problem)
  const general: Partial<Record<ProblemTarget, () => void>> = {
    connection: openConnectionSettings,
    proxy_port: () => navigate({ page: 'settings', id: 'proxy' }),
    data: () => navigate({ page: 'settings', id: 'data' }),
    chat: () => navigate({ page: 'chat', id: null }),
    reload: () => location.reload(),
    copy: () => void navigator.clipboard.writeText(detailsOf(problem)),
    recheck: () => {
      setBusy(true)
      studio.connection
        .retest()
        .catch((thrown: unknown) => showToast({ id: 'recheck', text: problemOf(thrown).message }))
        .finally(() => setBusy(false))
    },
  }
  const act = noAction ? undefined : (on[target] ?? general[target])
  const seconds = waitSeconds(problem)
  const quoted = serviceMessage(problem)
  const usual = problemTexts(problem)
  const isInSettings = useRoute().page === 'settings'
  const kindHere = isInSettings ? sentToSettings.find((kind) => kind === problem.kind) : undefined
  const { title = usual.title, className, children } = given
  const meaning = given.meaning ?? (kindHere ? t(`problems:inSettings.${kindHere}`) : usual.meaning)
  const message = messageBeside(problem, [title, meaning])
  const details = detailsOf(problem)
  // A short message is shown already.
  const hasMore = details !== problem.message || details.length > maxShown
  return (
    <Notice
      kind={problemTone(problem.kind)}
      title={title}
      role={role}
      {...(hasMore ? { details: { label: t('common:details'), text: details } } : {})}
      buttons={
        <>
          {act && (
            <Button size="small" busy={busy} onClick={act}>
              {t(`problems:kinds.${label}.action`)}
            </Button>
          )}
          {children}
        </>
      }
      {...(className ? { className } : {})}
    >
      {joinSentences([
        meaning,
        seconds !== null && t('problems:wait', { seconds }),
        problem.outputStarted && t('problems:kept'),
      ])}
      {message !== null && (
        <p className="mt-1 break-words" dir="auto">
          {message}
        </p>
      )}
      {quoted !== null && (
        <p className="mt-1 break-words" dir="auto">
          {t('problems:said', { message: quoted })}
        </p>
      )}
    </Notice>
  )
}
