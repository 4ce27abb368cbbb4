import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CleanUp, MediaUse } from '../../../src-preload/contract/media.ts'
import { problemOf } from '../../api/problem.ts'
import { showSize } from '../../i18n/format.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { showToast } from '../../shared/toasts.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { ConfirmDialog } from '../../shared/ui/Dialog.tsx'
import { Checkbox } from '../../shared/ui/Field.tsx'
import { Form } from '../../shared/ui/Form.tsx'
import { Select } from '../../shared/ui/Select.tsx'
import { useCall } from '../../shared/useCall.ts'
import { Group, Row } from './Group.tsx'

type Kind = CleanUp['kinds'][number]
const kinds: readonly Kind[] = ['speech', 'recordings', 'images']
const megabyte = 1_000_000
const sizes = [100, 500, 1000, 5000, 20_000] as const

/** The items that would be deleted, as counted by the core. */
interface Count {
  wish: CleanUp
  items: number
  bytes: number
}

/** Clean-up by size, and permanent deletion of deleted items. Both show a count first and require a confirmation. */
export function DataCleanUp({ uses, onDone }: { uses: readonly MediaUse[]; onDone: () => void }) {
  const { t } = useTranslation('data')
  const { ask, busy, counted, nothing, dialog } = useCleanUp(onDone)
  const [from, setFrom] = useState<readonly Kind[]>(kinds)
  const [keptMegabytes, setKeptMegabytes] = useState('1000')
  const removed = uses.filter(({ kind }) => kind !== 'chat')
  const removedItems = removed.reduce((sum, { removedItems: items }) => sum + items, 0)
  const removedBytes = removed.reduce((sum, { removedBytes: bytes }) => sum + bytes, 0)
  const wish: CleanUp = {
    kinds: [...from],
    olderThanDays: null,
    maxBytes: Number(keptMegabytes) * megabyte,
    removed: false,
  }
  return (
    <Group title={t('freeUp')} about={t('freeUpAbout')}>
      <Form
        className="flex flex-col gap-3"
        onSubmit={() => {
          if (from.length > 0) ask(wish)
        }}
      >
        <fieldset className="flex flex-wrap gap-x-5 gap-y-1.5">
          <legend className="mb-1 font-[540] text-s">{t('freeUpFrom')}</legend>
          {kinds.map((kind) => (
            <Checkbox
              key={kind}
              label={t(`mediaKind.${kind}`)}
              checked={from.includes(kind)}
              onChange={({ target }) =>
                setFrom(kinds.filter((one) => (one === kind ? target.checked : from.includes(one))))
              }
            />
          ))}
        </fieldset>
        <div className="flex flex-wrap items-center gap-2 text-s">
          <span aria-hidden>{t('newestSize')}</span>
          <Select
            label={t('newestSize')}
            value={keptMegabytes}
            choices={sizes.map((size) => ({ value: String(size), label: showSize(size * megabyte) }))}
            onPick={setKeptMegabytes}
          />
        </div>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <Button type="submit" busy={busy && !counted} disabled={from.length === 0}>
            {t('preview')}
          </Button>
          <span role="status" className="min-w-0 flex-1 text-faint text-s">
            {from.length === 0 ? t('chooseFeature') : nothing ? t('nothing') : t('favourites')}
          </span>
        </div>
      </Form>
      <Row
        name={t('recentlyDeleted')}
        hint={
          removedItems === 0
            ? t('recentlyDeletedNone')
            : t('recentlyDeletedSome', { count: removedItems, size: showSize(removedBytes) })
        }
      >
        {removedItems > 0 && (
          <Button
            variant="danger"
            disabled={busy}
            onClick={() => ask({ kinds: [...kinds], olderThanDays: null, maxBytes: null, removed: true })}
          >
            {t('deleteNow')}
          </Button>
        )}
      </Row>
      {dialog}
    </Group>
  )
}

/** Counts first, then asks, then deletes exactly what was counted. */
function useCleanUp(onDone: () => void) {
  const { t } = useTranslation('data')
  const studio = useStudio()
  const { busy, run } = useCall()
  const [counted, setCounted] = useState<Count | null>(null)
  const [nothing, setNothing] = useState(false)
  const say = (text: string) => showToast({ id: 'clean-up', text })

  const during = (work: () => Promise<void>): void =>
    run(() => work().catch((thrown: unknown) => say(problemOf(thrown).message)))
  const ask = (wish: CleanUp) =>
    during(async () => {
      setNothing(false)
      const { items, bytes } = await studio.media.previewCleanUp(wish)
      if (items === 0) setNothing(true)
      else setCounted({ wish, items, bytes })
    })
  const erase = (count: Count) =>
    during(async () => {
      try {
        const { items, bytes } = await studio.media.cleanUp({ ...count.wish, reported: count.items })
        say(t('deletedItems', { count: items, size: showSize(bytes) }))
      } finally {
        setCounted(null)
        onDone()
      }
    })

  const dialog = (
    <ConfirmDialog
      open={counted !== null}
      onClose={() => setCounted(null)}
      title={t('askTitle', { count: counted?.items ?? 0 })}
      about={counted?.bytes === 0 ? t('askShared') : t('askAbout', { size: showSize(counted?.bytes ?? 0) })}
      confirm={t('confirmDelete')}
      busy={busy}
      onConfirm={() => {
        if (counted) erase(counted)
      }}
    />
  )
  return { ask, busy, counted: counted !== null, nothing, dialog }
}
