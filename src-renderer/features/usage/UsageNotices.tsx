import { useTranslation } from 'react-i18next'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { RelativeTime } from '../../shared/ui/RelativeTime.tsx'
import { isConnected, useApp } from '../../stores/app.ts'
import { selectedAccount, useUsage } from '../../stores/usage.ts'
import { refresh } from './actions.ts'
import { ask } from './subscriptions.ts'

/** Notices about the figures: age, account, failures. */
export function UsageNotices() {
  const { t } = useTranslation('usage')
  const account = useUsage(selectedAccount)
  const problem = useUsage((store) => store.problem)
  const usageProblem = useUsage((store) => store.usageProblem)
  const connected = useApp(isConnected)
  const isKeyRejected = useApp(({ app }) => app?.connection.problem?.kind === 'unauthorized')
  const asOf = account?.asOf ?? null
  const offline = account !== null && (!connected || (account.active && isOffline(account.problem)))
  return (
    <>
      {(problem ?? usageProblem) && (
        <ProblemNotice problem={problem ?? usageProblem ?? never()} on={{ retry: () => void ask() }} />
      )}
      {account && !account.active && connected && asOf && (
        <Notice kind="info" role="status">
          {t('other')}
          <RelativeTime at={asOf} did="updated" className="block" />
        </Notice>
      )}
      {offline && (
        <Notice
          kind="info"
          title={t(isKeyRejected ? 'offline.keyRejected' : 'offline.title')}
          {...(connected ? { action: { label: t('refresh'), onClick: () => void refresh() } } : {})}
        >
          {asOf ? (
            <>
              {t('offline.about')}
              <RelativeTime at={asOf} did="updated" className="block" />
            </>
          ) : (
            t('offline.never')
          )}
        </Notice>
      )}
      {account?.active && !offline && account.problem && (
        <ProblemNotice problem={account.problem} role="status" on={{ retry: () => void refresh() }} />
      )}
      {account?.offers === 'no' && (
        <Notice kind="info" title={t('noReadouts.title')}>
          {t('noReadouts.about')}
        </Notice>
      )}
      {account?.offers === 'unknown' && !offline && !account.problem && (
        <Notice kind="info" title={t('notAsked.title')}>
          {t('notAsked.about')}
        </Notice>
      )}
    </>
  )
}

/** Whether the service is unreachable. Then only the age of the figures matters. */
const isOffline = (problem: Problem | null): boolean =>
  problem !== null && /^(connect|connection|headers|tls|idle)_|^not_connected$/.test(problem.kind)

function never(): never {
  throw new Error('The component needs a problem.')
}
