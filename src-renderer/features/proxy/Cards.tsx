import {
  ChevronRight,
  Copy,
  Ellipsis,
  Eraser,
  KeyRound,
  ListFilter,
  Pause,
  Pencil,
  Play,
  Plug,
  RotateCcw,
  Trash2,
  Waypoints,
} from 'lucide-react'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import type { App, AppUse } from '../../../src-preload/contract/apps.ts'
import { inSc, joinFacts, joinSentences } from '../../i18n/format.ts'
import { type BudgetView, budgetsOf } from '../../shared/appBudgets.ts'
import { BudgetMeter } from '../../shared/BudgetMeter.tsx'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { Card } from '../../shared/ui/Card.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { EmptyState } from '../../shared/ui/EmptyState.tsx'
import { Menu, MenuItem, MenuLine } from '../../shared/ui/Menu.tsx'
import { Pill, type PillTone } from '../../shared/ui/Pill.tsx'
import { Term, WithSc } from '../../shared/ui/WithSc.tsx'
import { useNow } from '../../shared/useNow.ts'
import { splitApps, useApps, useAppUse } from '../../stores/apps.ts'
import { filterBy, setPaused } from './actions.ts'
import { Badge, Sparkline } from './appearance.tsx'
import { type AppActivity, activityOf, asksPerson, type BlockedBy, blockedBy } from './appState.ts'
import { compact, count, exact, showLimit, showSc, showSpent, showTime } from './figures.ts'
import { type Budget, budgets } from './form.ts'
import { LoadingCard } from './LoadingCard.tsx'

/** A dialog that a card opens. */
export type CardAction = 'edit' | 'setUp' | 'rotate' | 'revoke' | 'resetSpend' | 'eraseBodies'

export interface CardsProps {
  onConnect: () => void
  /** @param first the field of the form that has the focus first */
  onAction: (action: CardAction, app: App, first?: Budget) => void
}

/** The active apps, and below them the collapsed list of ended apps. */
export function Cards(props: CardsProps) {
  const { t } = useTranslation('proxy')
  const apps = useApps()
  const now = useNow(20_000)
  if (apps === null) return <LoadingCard label={t('apps.loading')} widths={['w-1/3', 'w-full', 'w-2/3']} />
  const { alive, ended } = splitApps(apps)
  return (
    <section aria-label={t('apps.title')} className="flex flex-col gap-3">
      {alive.length === 0 ? (
        <Card>
          <EmptyState
            icon={Waypoints}
            title={t('apps.emptyTitle')}
            action={
              <Button variant="primary" icon={Plug} onClick={props.onConnect}>
                {t('connectApp')}
              </Button>
            }
          >
            {t('apps.empty')}
          </EmptyState>
        </Card>
      ) : (
        <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(264px,100%),1fr))] gap-2.5">
          {alive.map((app) => (
            <li key={app.id} className="min-w-0">
              <AppCard app={app} now={now} onAction={props.onAction} />
            </li>
          ))}
        </ul>
      )}
      {ended.length > 0 && <Ended apps={ended} now={now} onAction={props.onAction} />}
    </section>
  )
}

const tones: Record<Exclude<AppActivity['is'], 'blocked'>, PillTone> = {
  idle: 'muted',
  streaming: 'good',
  waiting: 'warn',
}

/** The state that makes requests of an app fail or wait, in two or three words, and the action that ends it. */
const blockedStates = {
  paused: { words: 'paused', action: 'resume' },
  expired: { words: 'expired', action: 'changeExpiry' },
  revoked: { words: 'revoked', action: 'changeExpiry' },
  budget: { words: 'budgetUsed', action: 'raise' },
  short: { words: 'budgetShort', action: 'raise' },
} as const
const blockedState = (by: BlockedBy) => blockedStates[by.replace(/Day|Month|Total/, '') as keyof typeof blockedStates]

function StatePill({ state }: { state: AppActivity }) {
  const { t } = useTranslation('proxy')
  if (state.is === 'blocked')
    return (
      <Pill tone={state.by === 'paused' || state.asks ? 'warn' : 'bad'}>
        {t(`apps.state.${state.asks ? 'asks' : blockedState(state.by).words}`)}
      </Pill>
    )
  return (
    <Pill tone={tones[state.is]}>
      {state.is === 'idle' ? t('apps.state.idle') : t(`apps.state.${state.is}`, { count: state.count })}
    </Pill>
  )
}

function AppCard({ app, now, onAction }: { app: App; now: number; onAction: CardsProps['onAction'] }) {
  const use = useAppUse(app.id)
  const state = activityOf(app, use, now)
  const blocked = blockedBy(app, use, now)
  const budgets = budgetsOf(app, use)
  return (
    <Card className="flex h-full flex-col gap-1.5 px-4 pt-3 pb-2.5">
      <article aria-label={app.name} className="contents">
        <header className="flex min-w-0 items-center gap-2">
          <Badge name={app.name} colour={app.colour} />
          <h2 className="min-w-0 truncate font-[580]" title={app.name}>
            {app.name}
          </h2>
          <span className="ms-auto" />
          <StatePill state={state} />
          <CardMenu app={app} onAction={onAction} />
        </header>
        {blocked && <Blocked app={app} by={blocked} onAction={onAction} />}
        <div className="flex flex-wrap items-end gap-x-2">
          <Spend use={use} budget={app.budgetDay} />
          <Sparkline perMinute={use?.perMinute ?? []} colour={app.colour} />
        </div>
        {budgets.map((budget) => (
          <BudgetLine key={budget.period} name={app.name} budget={budget} />
        ))}
        <Small app={app} use={use} now={now} />
      </article>
    </Card>
  )
}

/** Why requests of this app are refused or wait for a person, with the action that ends this. */
function Blocked({ app, by, onAction }: { app: App; by: BlockedBy; onAction: CardsProps['onAction'] }) {
  const { t } = useTranslation('proxy')
  const resume = () => void setPaused(app, false)
  const { action } = blockedState(by)
  const budget = budgets.find((name) => name === by.replace('short', 'budget'))
  const asks = asksPerson(app, by)
  return (
    <p className="flex items-center gap-2 text-s">
      <span className={cx('min-w-0 flex-1', by === 'paused' || asks ? 'text-warn' : 'text-bad')}>
        {joinSentences([t(`apps.blocked.${by}`), asks && t('apps.blocked.asks')])}
      </span>
      <Button size="small" onClick={by === 'paused' ? resume : () => onAction('edit', app, budget)}>
        {t(`apps.blocked.${action}`)}
      </Button>
    </p>
  )
}

/** Today's cost, with as many digits as its daily budget below shows. */
function Spend({ use, budget }: { use: AppUse | null; budget: string | null }) {
  const { t } = useTranslation('proxy')
  const spent = use?.spentDay ?? '0'
  const some = exact(spent) > 0n
  return (
    <div
      className="num shrink-0 whitespace-nowrap font-[620] text-xl leading-tight tracking-[-.02em]"
      title={inSc(spent)}
    >
      {budget === null ? showSc(spent) : showSpent(spent, budget)}{' '}
      <span className="ms-0.5 font-medium text-soft text-s tracking-normal">
        <WithSc text={t('apps.today')} />
      </span>
      {some && (
        <span className="ms-1 font-normal text-faint text-s tracking-normal">
          <WithSc text={t(use?.estimated ? 'apps.estimated' : 'apps.measured')} />
        </span>
      )}
    </div>
  )
}

function BudgetLine({ name, budget }: { name: string; budget: BudgetView }) {
  const { t } = useTranslation('proxy')
  const words = t(`apps.budget.${budget.period}`, {
    spent: showSpent(budget.spent, budget.limit),
    limit: showLimit(budget.limit),
  })
  return <BudgetMeter label={t('apps.budget.label', { name, words })} budget={budget} amounts={words} />
}

/** The last lines of a card: limits, reserved or unknown amounts, number of requests. */
function Small({ app, use, now }: { app: App; use: AppUse | null; now: number }) {
  const { t } = useTranslation(['proxy', 'common'])
  const counts = use && [
    use.requestsToday === 0
      ? t('apps.noRequestsToday')
      : t('apps.requestsToday', { count: use.requestsToday, requests: count(use.requestsToday) }),
    ...(use.tokensToday > 0
      ? [t('apps.tokensToday', { count: use.tokensToday, tokens: compact(use.tokensToday) })]
      : []),
  ]
  const { lastUsedAt } = use ?? app
  const limits = [
    app.budgetDay === null && app.budgetMonth === null && app.budgetTotal === null && t('apps.budget.none'),
    ...(['requestsPerMinute', 'tokensPerMinute', 'concurrent'] as const).map((limit) => {
      const figure = app[limit]
      return figure === null ? null : t(`apps.limits.${limit}`, { count: figure, figure: compact(figure) })
    }),
    app.modelMap.length > 0 && (
      <Term word={t('apps.limits.modelMap', { count: app.modelMap.length })} about={t('common:terms.modelMap')} />
    ),
    app.models && t('apps.limits.models', { count: app.models.length }),
    app.endpoints && t('apps.limits.endpoints', { count: app.endpoints.length }),
    app.previousKeyUntil &&
      Date.parse(app.previousKeyUntil) > now &&
      t('apps.limits.previousKey', { at: showTime(app.previousKeyUntil, now) }),
    app.expiresAt && t('apps.limits.expires', { at: showTime(app.expiresAt, now) }),
    app.logBodies && <Term word={t('apps.limits.logBodies')} about={t('common:terms.loggedBodies')} />,
    !app.retries && t('apps.limits.noRetries'),
    app.failFast && t('apps.limits.failFast'),
    !app.adaptRequests && t('apps.limits.notAdapted'),
    app.atBudget === 'ask' && t('apps.limits.asks'),
    app.tools && t('apps.limits.tools'),
    lastUsedAt ? t('apps.lastUsed', { at: showTime(lastUsedAt, now) }) : t('apps.neverUsed'),
  ].filter(Boolean)
  return (
    <footer className="num mt-auto flex flex-col text-faint text-s leading-[1.55]">
      {use && use.unpricedToday > 0 && (
        <span className="text-warn">{t('apps.unpriced', { count: use.unpricedToday })}</span>
      )}
      {use && exact(use.reserved) > 0n && (
        <span>
          <WithSc text={t('apps.reserved', { amount: showSc(use.reserved) })} />
        </span>
      )}
      {counts && <span>{joinFacts(counts)}</span>}
      <span>
        {limits.map((limit, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the limits of an app have no other order
          <Fragment key={at}>
            {at > 0 && ' · '}
            {limit}
          </Fragment>
        ))}
      </span>
    </footer>
  )
}

function CardMenu({ app, onAction }: { app: App; onAction: CardsProps['onAction'] }) {
  const { t } = useTranslation('proxy')
  const alive = app.revokedAt === null
  const paused = app.pausedAt !== null
  return (
    <Menu
      trigger={
        <IconButton icon={Ellipsis} size="small" label={t('apps.menu.name', { name: app.name })} className="-me-2" />
      }
    >
      {alive && (
        <>
          <MenuItem icon={Pencil} label={t('apps.menu.edit')} onSelect={() => onAction('edit', app)} />
          <MenuItem
            icon={paused ? Play : Pause}
            label={t(paused ? 'apps.menu.resume' : 'apps.menu.pause')}
            onSelect={() => void setPaused(app, !paused)}
          />
          <MenuItem icon={Copy} label={t('apps.menu.setUp')} onSelect={() => onAction('setUp', app)} />
          <MenuItem icon={KeyRound} label={t('apps.menu.rotate')} onSelect={() => onAction('rotate', app)} />
        </>
      )}
      <MenuItem icon={ListFilter} label={t('apps.menu.show')} onSelect={() => filterBy({ who: app.id })} />
      <MenuLine />
      {alive && (
        <MenuItem icon={RotateCcw} label={t('apps.menu.resetSpend')} onSelect={() => onAction('resetSpend', app)} />
      )}
      <MenuItem icon={Eraser} label={t('apps.menu.eraseBodies')} onSelect={() => onAction('eraseBodies', app)} />
      {alive && (
        <MenuItem icon={Trash2} danger label={t('apps.menu.revoke')} onSelect={() => onAction('revoke', app)} />
      )}
    </Menu>
  )
}

function Ended({ apps, now, onAction }: { apps: readonly App[]; now: number; onAction: CardsProps['onAction'] }) {
  const { t } = useTranslation('proxy')
  return (
    <details className="group min-w-0 flex-1 text-s">
      <summary className="flex min-h-6 w-fit list-none items-center gap-1 rounded-s pe-1.5 text-soft hover:text-ink">
        <ChevronRight
          aria-hidden
          size={14}
          className="transition-transform duration-100 group-open:rotate-90 rtl:not-group-open:rotate-180"
        />
        {t('apps.ended', { count: apps.length })}
      </summary>
      <Card className="mt-2">
        <ul className="divide-y divide-line">
          {apps.map((app) => (
            <li key={app.id} className="num flex flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-1.5 text-faint">
              <Badge name={app.name} colour={app.colour} ended />
              <span className="min-w-0 flex-1 truncate text-soft">{app.name}</span>
              <span>{t('apps.created', { at: showTime(app.createdAt, now) })}</span>
              <span>{t('apps.revokedAt', { at: showTime(app.revokedAt ?? '', now) })}</span>
              <CardMenu app={app} onAction={onAction} />
            </li>
          ))}
        </ul>
      </Card>
    </details>
  )
}
