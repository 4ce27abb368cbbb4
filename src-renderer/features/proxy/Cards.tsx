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
import { useTranslation } from 'react-i18next'
import type { App, AppUse } from '../../../src-preload/contract/apps.ts'
import { type BudgetView, budgetsOf } from '../../shared/appBudgets.ts'
import { BudgetMeter } from '../../shared/BudgetMeter.tsx'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { Card } from '../../shared/ui/Card.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { EmptyState } from '../../shared/ui/EmptyState.tsx'
import { Menu, MenuItem, MenuLine } from '../../shared/ui/Menu.tsx'
import { Pill, type PillTone } from '../../shared/ui/Pill.tsx'
import { useNow } from '../../shared/useNow.ts'
import { splitApps, useApps, useAppUse } from '../../stores/apps.ts'
import { filterBy, setPaused } from './actions.ts'
import { Badge, Sparkline } from './appearance.tsx'
import { type AppActivity, activityOf, type BlockedBy, blockedBy } from './appState.ts'
import { compact, count, exact, showLimit, showSc, showSpent, showTime } from './figures.ts'
import { LoadingCard } from './LoadingCard.tsx'

/** A dialog that a card opens. */
export type CardAction = 'edit' | 'setUp' | 'rotate' | 'revoke' | 'resetSpend' | 'eraseBodies'

export interface CardsProps {
  onConnect: () => void
  onAction: (action: CardAction, tool: App) => void
}

/** The active apps, and below them the collapsed list of ended apps. */
export function Cards(props: CardsProps) {
  const { t } = useTranslation('proxy')
  const tools = useApps()
  const now = useNow(20_000)
  if (tools === null) return <LoadingCard label={t('apps.loading')} widths={['w-1/3', 'w-full', 'w-2/3']} />
  const { alive, ended } = splitApps(tools)
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
        <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(236px,100%),1fr))] gap-2.5">
          {alive.map((tool) => (
            <li key={tool.id} className="min-w-0">
              <ToolCard tool={tool} now={now} onAction={props.onAction} />
            </li>
          ))}
        </ul>
      )}
      {ended.length > 0 && <Ended tools={ended} now={now} onAction={props.onAction} />}
    </section>
  )
}

const tones: Record<AppActivity['is'], PillTone> = {
  blocked: 'bad',
  idle: 'muted',
  streaming: 'good',
  waiting: 'warn',
}

function StatePill({ state }: { state: AppActivity }) {
  const { t } = useTranslation('proxy')
  const words =
    state.is === 'streaming' || state.is === 'waiting'
      ? t(`apps.state.${state.is}`, { count: state.count })
      : t(`apps.state.${state.is}`)
  return <Pill tone={tones[state.is]}>{words}</Pill>
}

function ToolCard({ tool, now, onAction }: { tool: App; now: number; onAction: CardsProps['onAction'] }) {
  const use = useAppUse(tool.id)
  const state = activityOf(tool, use, now)
  const blocked = blockedBy(tool, use, now)
  const budgets = budgetsOf(tool, use)
  return (
    <Card className="flex h-full flex-col gap-1.5 px-4 pt-3 pb-2.5">
      <article aria-label={tool.name} className="contents">
        <header className="flex min-w-0 items-center gap-2">
          <Badge name={tool.name} colour={tool.colour} />
          <h2 className="min-w-0 truncate font-[580]" title={tool.name}>
            {tool.name}
          </h2>
          <span className="ms-auto" />
          <StatePill state={state} />
          <CardMenu tool={tool} onAction={onAction} />
        </header>
        {blocked && <Blocked tool={tool} by={blocked} onAction={onAction} />}
        <div className="flex items-end gap-2">
          <Spend use={use} budget={tool.budgetDay} />
          <Sparkline perMinute={use?.perMinute ?? []} colour={tool.colour} />
        </div>
        {budgets.map((budget) => (
          <BudgetLine key={budget.period} name={tool.name} budget={budget} />
        ))}
        <Small tool={tool} use={use} now={now} />
      </article>
    </Card>
  )
}

/** Why requests of this app are refused, with the action that ends the refusal. */
function Blocked({ tool, by, onAction }: { tool: App; by: BlockedBy; onAction: CardsProps['onAction'] }) {
  const { t } = useTranslation('proxy')
  const resume = () => void setPaused(tool, false)
  const action = by === 'paused' ? 'resume' : by === 'expired' ? 'changeExpiry' : 'raiseBudget'
  return (
    <p className="flex items-center gap-2 text-s">
      <span className={cx('min-w-0 flex-1', by === 'paused' ? 'text-warn' : 'text-bad')}>
        {t(`apps.blocked.${by}`)}
      </span>
      <Button size="small" onClick={by === 'paused' ? resume : () => onAction('edit', tool)}>
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
      title={`${spent} SC`}
    >
      {budget === null ? showSc(spent) : showSpent(spent, budget)}{' '}
      <span className="ms-0.5 font-medium text-soft text-s tracking-normal">{t('apps.today')}</span>
      {some && (
        <span className="ms-1 font-normal text-faint text-s tracking-normal">
          {t(use?.estimated ? 'apps.estimated' : 'apps.measured')}
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
function Small({ tool, use, now }: { tool: App; use: AppUse | null; now: number }) {
  const { t } = useTranslation('proxy')
  const counts = use && [
    t('apps.requestsToday', { count: use.requestsToday, requests: count(use.requestsToday) }),
    ...(use.tokensToday > 0 ? [t('apps.tokensToday', { tokens: compact(use.tokensToday) })] : []),
  ]
  const limits = [
    tool.budgetDay === null && tool.budgetMonth === null && tool.budgetTotal === null && t('apps.budget.none'),
    ...(['requestsPerMinute', 'tokensPerMinute', 'concurrent'] as const).map((limit) => {
      const figure = tool[limit]
      return figure === null ? null : t(`apps.limits.${limit}`, { figure: compact(figure) })
    }),
    tool.modelMap.length > 0 && t('apps.limits.modelMap', { count: tool.modelMap.length }),
    tool.models && t('apps.limits.models', { count: tool.models.length }),
    tool.endpoints && t('apps.limits.endpoints', { count: tool.endpoints.length }),
    tool.previousKeyUntil &&
      Date.parse(tool.previousKeyUntil) > now &&
      t('apps.limits.previousKey', { at: showTime(tool.previousKeyUntil, now) }),
    tool.expiresAt && t('apps.limits.expires', { at: showTime(tool.expiresAt, now) }),
    tool.logBodies && t('apps.limits.logBodies'),
    !tool.retries && t('apps.limits.noRetries'),
    tool.failFast && t('apps.limits.failFast'),
    tool.lastUsedAt ? t('apps.lastUsed', { at: showTime(tool.lastUsedAt, now) }) : t('apps.neverUsed'),
  ].filter(Boolean)
  return (
    <footer className="num mt-auto flex flex-col text-faint text-xs leading-[1.55]">
      {use && use.unpricedToday > 0 && (
        <span className="text-warn">{t('apps.unpriced', { count: use.unpricedToday })}</span>
      )}
      {use && exact(use.reserved) > 0n && <span>{t('apps.reserved', { amount: showSc(use.reserved) })}</span>}
      {counts && <span>{counts.join(' · ')}</span>}
      <span>{limits.join(' · ')}</span>
    </footer>
  )
}

function CardMenu({ tool, onAction }: { tool: App; onAction: CardsProps['onAction'] }) {
  const { t } = useTranslation('proxy')
  const alive = tool.revokedAt === null
  const paused = tool.pausedAt !== null
  return (
    <Menu
      trigger={
        <IconButton icon={Ellipsis} size="small" label={t('apps.menu.name', { name: tool.name })} className="-me-2" />
      }
    >
      {alive && (
        <>
          <MenuItem icon={Pencil} label={t('apps.menu.edit')} onSelect={() => onAction('edit', tool)} />
          <MenuItem
            icon={paused ? Play : Pause}
            label={t(paused ? 'apps.menu.resume' : 'apps.menu.pause')}
            onSelect={() => void setPaused(tool, !paused)}
          />
          <MenuItem icon={Copy} label={t('apps.menu.setUp')} onSelect={() => onAction('setUp', tool)} />
          <MenuItem icon={KeyRound} label={t('apps.menu.rotate')} onSelect={() => onAction('rotate', tool)} />
        </>
      )}
      <MenuItem icon={ListFilter} label={t('apps.menu.show')} onSelect={() => filterBy({ who: tool.id })} />
      <MenuLine />
      {alive && (
        <MenuItem icon={RotateCcw} label={t('apps.menu.resetSpend')} onSelect={() => onAction('resetSpend', tool)} />
      )}
      <MenuItem icon={Eraser} label={t('apps.menu.eraseBodies')} onSelect={() => onAction('eraseBodies', tool)} />
      {alive && (
        <MenuItem icon={Trash2} danger label={t('apps.menu.revoke')} onSelect={() => onAction('revoke', tool)} />
      )}
    </Menu>
  )
}

function Ended({ tools, now, onAction }: { tools: readonly App[]; now: number; onAction: CardsProps['onAction'] }) {
  const { t } = useTranslation('proxy')
  return (
    <details className="group min-w-0 flex-1 text-s">
      <summary className="flex min-h-6 w-fit list-none items-center gap-1 rounded-s pe-1.5 text-soft hover:text-ink">
        <ChevronRight
          aria-hidden
          size={14}
          className="transition-transform duration-100 group-open:rotate-90 rtl:not-group-open:rotate-180"
        />
        {t('apps.ended', { count: tools.length })}
      </summary>
      <Card className="mt-2">
        <ul className="divide-y divide-line">
          {tools.map((tool) => (
            <li key={tool.id} className="num flex flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-1.5 text-faint">
              <Badge name={tool.name} colour={tool.colour} ended />
              <span className="min-w-0 flex-1 truncate text-soft">{tool.name}</span>
              <span>{t('apps.created', { at: showTime(tool.createdAt, now) })}</span>
              <span>{t('apps.revokedAt', { at: showTime(tool.revokedAt ?? '', now) })}</span>
              <CardMenu tool={tool} onAction={onAction} />
            </li>
          ))}
        </ul>
      </Card>
    </details>
  )
}
