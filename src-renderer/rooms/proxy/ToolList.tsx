import { Plus, Waypoints } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { Tool } from '../../../src-preload/contract/tools.ts'
import { problemOf } from '../../api/problem.ts'
import { ProblemNotice } from '../../problems/ProblemNotice.tsx'
import { useTools } from '../../stores/tools.ts'
import { useStudio } from '../../studio.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { cx } from '../../ui/cx.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Pill } from '../../ui/Pill.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { showInstant } from '../../ui/time.ts'

export function ToolList({ onAdd }: { onAdd: () => void }) {
  const { t } = useTranslation('proxy')
  const tools = useTools()
  const [asked, setAsked] = useState<Tool | null>(null)
  if (tools === null) {
    return (
      <Card className="flex flex-col gap-3 p-4">
        <span role="status" className="sr-only">
          {t('tools.loading')}
        </span>
        <Skeleton className="w-1/3" />
        <Skeleton />
        <Skeleton className="w-2/3" />
      </Card>
    )
  }
  if (tools.length === 0) {
    return (
      <Card>
        <EmptyState
          icon={Waypoints}
          title={t('tools.emptyTitle')}
          action={
            <Button look="go" icon={Plus} onClick={onAdd}>
              {t('add')}
            </Button>
          }
        >
          {t('tools.empty')}
        </EmptyState>
      </Card>
    )
  }
  return (
    <section aria-label={t('tools.title')}>
      <Card className="overflow-x-auto px-1.5 py-1">
        <table className="w-full text-s">
          <thead>
            <tr className="text-left text-faint">
              {(['name', 'made', 'used', 'state'] as const).map((head) => (
                <th key={head} scope="col" className="whitespace-nowrap border-line border-b px-2.5 py-1.5 font-[520]">
                  {t(`tools.${head}`)}
                </th>
              ))}
              <th scope="col" className="border-line border-b">
                <span className="sr-only">{t('tools.revoke')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {tools.map((tool) => (
              <ToolRow key={tool.id} tool={tool} onRevoke={() => setAsked(tool)} />
            ))}
          </tbody>
        </table>
      </Card>
      <Revoke tool={asked} onClose={() => setAsked(null)} />
    </section>
  )
}

function ToolRow({ tool, onRevoke }: { tool: Tool; onRevoke: () => void }) {
  const { t } = useTranslation(['proxy', 'common'])
  const cell = 'num h-9 whitespace-nowrap border-line border-b px-2.5 [tr:last-child>&]:border-0'
  return (
    <tr className={cx(tool.revokedAt && 'text-faint')}>
      <td className={cx(cell, 'max-w-56 truncate font-[520]')}>{tool.name}</td>
      <td className={cell}>{showInstant(tool.createdAt)}</td>
      <td className={cell}>{tool.lastUsedAt ? showInstant(tool.lastUsedAt) : t('common:never')}</td>
      <td className={cell}>
        {tool.revokedAt ? (
          <Pill tone="muted">{t('tools.revoked', { at: showInstant(tool.revokedAt) })}</Pill>
        ) : (
          <Pill tone="good">{t('tools.active')}</Pill>
        )}
      </td>
      <td className={cx(cell, 'text-right')}>
        {!tool.revokedAt && (
          <Button look="plain" size="small" aria-label={t('tools.revokeNamed', { name: tool.name })} onClick={onRevoke}>
            {t('tools.revoke')}
          </Button>
        )}
      </td>
    </tr>
  )
}

function Revoke({ tool, onClose }: { tool: Tool | null; onClose: () => void }) {
  const { t } = useTranslation('proxy')
  const studio = useStudio()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const close = () => {
    setProblem(null)
    onClose()
  }
  const revoke = () => {
    if (!tool) return
    setBusy(true)
    studio.tools
      .revoke({ id: tool.id })
      .then(close)
      .catch((thrown: unknown) => setProblem(problemOf(thrown)))
      .finally(() => setBusy(false))
  }
  return (
    <ConfirmDialog
      open={tool !== null}
      onClose={close}
      title={t('tools.revokeTitle', { name: tool?.name ?? '' })}
      about={t('tools.revokeAbout')}
      confirm={t('tools.revoke')}
      busy={busy}
      onConfirm={revoke}
    >
      {problem && <ProblemNotice problem={problem} on={{ retry: revoke }} />}
    </ConfirmDialog>
  )
}
