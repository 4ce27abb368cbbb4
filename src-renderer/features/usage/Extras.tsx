import { useTranslation } from 'react-i18next'
import type { App } from '../../../src-preload/contract/apps.ts'
import { showSc } from '../../i18n/format.ts'
import { budgetsOf } from '../../shared/appBudgets.ts'
import { BudgetMeter } from '../../shared/BudgetMeter.tsx'
import { showSpent } from '../../shared/money/sc.ts'
import { navigate } from '../../shared/navigation.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { inUse, useApps, useAppUse } from '../../stores/apps.ts'
import { hrefOf } from '../../stores/route.ts'
import { useUsage } from '../../stores/usage.ts'
import { requestsText } from './ReportedFigures.tsx'

/** The most expensive chats of this computer in the period. */
export function TopConversations() {
  const { t } = useTranslation(['usage', 'common'])
  const top = useUsage((store) => store.answer?.top ?? [])
  return (
    <div className="min-w-0">
      <section aria-label={t('top.title')}>
        <h2 className="font-semibold">{t('top.title')}</h2>
        <p className="text-faint text-s">{t(top.length === 0 ? 'top.none' : 'top.about')}</p>
        <ol className="mt-2 flex flex-col empty:hidden">
          {top.map(({ conversationId, title, total }) => (
            <li key={conversationId} className="flex items-baseline gap-3 border-line border-t py-1.5 text-s">
              <a
                href={hrefOf({ page: 'chat', id: conversationId })}
                dir="auto"
                className="min-w-0 flex-1 truncate hover:text-accent hover:underline"
              >
                {title ?? t('top.untitled')}
              </a>
              <span className="num whitespace-nowrap text-faint">{requestsText(t, total.requests)}</span>
              <span className="num whitespace-nowrap font-[540]">
                {total.cost === null
                  ? t('cards.unknown')
                  : t(total.estimated > 0 ? 'common:cost.estimated' : 'common:cost.plain', {
                      amount: showSc(total.cost),
                    })}
              </span>
            </li>
          ))}
        </ol>
      </section>
    </div>
  )
}

/** The state of each app's budget. */
export function Budgets() {
  const { t } = useTranslation('usage')
  const apps = (useApps() ?? []).filter(
    (app) => inUse(app, Date.now()) && (app.budgetDay !== null || app.budgetMonth !== null || app.budgetTotal !== null),
  )
  return (
    <div className="min-w-0">
      <section aria-label={t('budgets.title')}>
        <h2 className="font-semibold">{t('budgets.title')}</h2>
        {apps.length === 0 && (
          <div className="flex flex-wrap items-center gap-3 text-faint text-s">
            <p className="min-w-0 flex-1">{t('budgets.none')}</p>
            <Button size="small" onClick={() => navigate({ page: 'proxy', id: null })}>
              {t('budgets.toProxy')}
            </Button>
          </div>
        )}
        <ul className="mt-2 flex flex-col empty:hidden">
          {apps.map((app) => (
            <Budget key={app.id} app={app} />
          ))}
        </ul>
      </section>
    </div>
  )
}

function Budget({ app }: { app: App }) {
  const { t } = useTranslation('usage')
  const use = useAppUse(app.id)
  return (
    <li className="border-line border-t py-1.5 text-s">
      <div dir="auto" className="truncate font-[520]">
        {app.name}
      </div>
      {budgetsOf(app, use).map((budget) => {
        const { period, spent, limit } = budget
        const words = t(`budgets.${period}`, { spent: showSpent(spent, limit), limit: showSc(limit) })
        return (
          <div key={period} className="mt-0.5">
            <BudgetMeter label={t('budgets.label', { name: app.name, words })} budget={budget} amounts={words} />
          </div>
        )
      })}
    </li>
  )
}
