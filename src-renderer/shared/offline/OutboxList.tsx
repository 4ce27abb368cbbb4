import { AudioLines, Brush, FileText, Pencil, Play, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useShallow } from 'zustand/shallow'
import type { OutboxItem, OutboxKind } from '../../../src-preload/contract/outbox.ts'
import { joinFacts, showInstant, showNamed, showSize } from '../../i18n/format.ts'
import { useOutbox, waitingOf } from '../../stores/outbox.ts'
import { problemTexts } from '../errors/texts.ts'
import { useStudio } from '../studioContext.ts'
import { IconButton } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { plainText } from '../ui/plainText.ts'
import { attempt } from './actions.ts'
import { EditOutboxItem } from './EditOutboxItem.tsx'

const icons = { images: Brush, speech: AudioLines, transcript: FileText }

/** The outbox items of a feature, in the order of sending. Each can be edited and removed. */
export function OutboxList(props: { what: OutboxKind; recordingId?: string; className?: string }) {
  const { what, recordingId = null, className } = props
  const { t } = useTranslation('offline')
  const items = useOutbox(useShallow(waitingOf(what, recordingId)))
  const [edited, setEdited] = useState<OutboxItem | null>(null)
  if (items.length === 0 && !edited) return null
  return (
    <section aria-label={t('region')} className={cx('flex min-w-0 flex-col gap-1.5', className)}>
      <h2 className="font-semibold text-faint text-s">{t('region')}</h2>
      <ul className="max-h-[30vh] overflow-y-auto rounded-m bg-raise shadow-[0_0_0_1px_var(--line)]">
        {items.map((item) => (
          <Row key={item.id} item={item} onEdit={() => setEdited(item)} />
        ))}
      </ul>
      {edited && <EditOutboxItem item={edited} onClose={() => setEdited(null)} />}
    </section>
  )
}

function Row({ item, onEdit }: { item: OutboxItem; onEdit: () => void }) {
  const { t } = useTranslation(['offline', 'problems'])
  const studio = useStudio()
  const { id, what, state, problem, here, connection, createdAt } = item
  const Icon = icons[what]
  const label = item.label || t('item.gone')
  const zoomState =
    state === 'held'
      ? t('item.held')
      : problem
        ? showNamed(t('item.failed'), problemTexts(problem).title)
        : here
          ? t('item.since', { at: showInstant(createdAt) })
          : t('item.elsewhere', { name: connection })
  return (
    <li data-waiting={state} className="flex min-w-0 items-center gap-2.5 border-line px-3 py-1.5 not-first:border-t">
      <Icon aria-hidden size={14} strokeWidth={1.75} className="shrink-0 text-faint" />
      <div className="flex min-w-0 flex-1 items-baseline gap-x-2.5 max-[800px]:flex-col">
        <span dir="auto" title={label} className="min-w-0 max-w-full flex-1 truncate">
          {label}
        </span>
        <span
          className={cx('num max-w-full shrink-0 text-s', problem ? 'text-bad' : 'text-faint')}
          title={problem ? plainText(problem.message) : undefined}
        >
          {joinFacts([amountText(item, t), zoomState])}
        </span>
      </div>
      {state === 'held' && (
        <IconButton
          icon={Play}
          size="small"
          label={t('releaseOf', { label })}
          onClick={() => void attempt(() => studio.outbox.hold({ id, held: false }))}
        />
      )}
      <IconButton icon={Pencil} size="small" label={t('editOf', { label })} onClick={onEdit} />
      <IconButton
        icon={X}
        size="small"
        label={t('cancelOf', { label })}
        onClick={() => void attempt(() => studio.outbox.cancel({ id }))}
      />
    </li>
  )
}

function amountText({ what, amount }: OutboxItem, t: ReturnType<typeof useTranslation<'offline'>>['t']): string | null {
  if (amount === null) return null
  return what === 'images' ? t('item.pictures', { count: amount }) : t('item.bytes', { size: showSize(amount) })
}
