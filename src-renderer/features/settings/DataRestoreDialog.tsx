import { useTranslation } from 'react-i18next'
import { type BackupSummary, type Counts, type DataKind, dataKinds } from '../../../src-preload/contract/data.ts'
import { showCount, showFull, showSize } from '../../i18n/format.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Dialog } from '../../shared/ui/Dialog.tsx'
import { AmountTable } from './AmountTable.tsx'

export interface FoundBackup {
  uploadId: string
  backup: BackupSummary
  now: { counts: Counts; bytes: number }
}

const numberOf = (counts: Counts, thing: DataKind): number => counts.find((one) => one.thing === thing)?.count ?? 0

/** Shows the data that a restore would replace, before the restore starts. */
export function RestoreDialog(props: {
  found: FoundBackup | null
  busy: boolean
  onClose: () => void
  /** `now`: restarts immediately. */
  onUse: (found: FoundBackup, now: boolean) => void
}) {
  const { t } = useTranslation(['data', 'common'])
  const { found, busy, onClose, onUse } = props
  const rows = dataKinds.filter(
    (thing) =>
      thing !== 'other' && found && (numberOf(found.backup.counts, thing) > 0 || numberOf(found.now.counts, thing) > 0),
  )
  return (
    <Dialog
      open={found !== null}
      onClose={onClose}
      title={t('restore.askTitle')}
      about={found && t('restore.askAbout', { at: showFull(found.backup.madeAt), version: found.backup.version })}
      footer={
        found && (
          <>
            <Button onClick={onClose}>{t('common:cancel')}</Button>
            <Button disabled={busy} onClick={() => onUse(found, false)}>
              {t('restore.confirm')}
            </Button>
            <Button variant="primary" busy={busy} onClick={() => onUse(found, true)}>
              {t('restore.restart')}
            </Button>
          </>
        )
      }
    >
      {found && (
        <AmountTable
          columns={[t('restore.thing'), t('restore.inBackup'), t('restore.hereNow')]}
          rows={rows.map((thing) => ({
            id: thing,
            name: t(`dataName.${thing}`),
            first: showCount(numberOf(found.backup.counts, thing)),
            second: showCount(numberOf(found.now.counts, thing)),
          }))}
          total={{
            id: 'size',
            name: t('restore.size'),
            first: showSize(found.backup.bytes),
            second: showSize(found.now.bytes),
          }}
        />
      )}
    </Dialog>
  )
}
