import { useTranslation } from 'react-i18next'
import { type BackupSummary, type Counts, type KeptThing, keptThings } from '../../../src-preload/contract/data.ts'
import { showCount, showFull, showSize } from '../../i18n/format.ts'
import { ConfirmDialog } from '../../shared/ui/Dialog.tsx'

export interface FoundBackup {
  uploadId: string
  backup: BackupSummary
  now: { counts: Counts; bytes: number }
}

const numberOf = (counts: Counts, thing: KeptThing): number => counts.find((one) => one.thing === thing)?.count ?? 0

/** What would be replaced by what, before anything is. */
export function RestoreDialog(props: {
  found: FoundBackup | null
  busy: boolean
  onClose: () => void
  onUse: (found: FoundBackup) => void
}) {
  const { t } = useTranslation('data')
  const { found, busy, onClose, onUse } = props
  const rows = keptThings.filter(
    (thing) =>
      thing !== 'other' && found && (numberOf(found.backup.counts, thing) > 0 || numberOf(found.now.counts, thing) > 0),
  )
  return (
    <ConfirmDialog
      open={found !== null}
      onClose={onClose}
      title={t('restore.askTitle')}
      about={found && t('restore.askAbout', { at: showFull(found.backup.madeAt), version: found.backup.version })}
      confirm={t('restore.confirm')}
      busy={busy}
      onConfirm={() => {
        if (found) onUse(found)
      }}
    >
      {found && (
        <table className="w-full border-collapse text-s">
          <thead>
            <tr className="text-faint">
              <th scope="col" className="py-1 text-start font-normal">
                {t('restore.thing')}
              </th>
              <th scope="col" className="px-3 py-1 text-end font-normal">
                {t('restore.inBackup')}
              </th>
              <th scope="col" className="py-1 text-end font-normal">
                {t('restore.hereNow')}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((thing) => (
              <tr key={thing} className="border-line border-t">
                <th scope="row" className="py-1 text-start font-normal">
                  {t(`name.${thing}`)}
                </th>
                <td className="num px-3 py-1 text-end">{showCount(numberOf(found.backup.counts, thing))}</td>
                <td className="num py-1 text-end">{showCount(numberOf(found.now.counts, thing))}</td>
              </tr>
            ))}
            <tr className="border-line-strong border-t font-[540]">
              <th scope="row" className="py-1 text-start font-[540]">
                {t('restore.size')}
              </th>
              <td className="num px-3 py-1 text-end">{showSize(found.backup.bytes)}</td>
              <td className="num py-1 text-end">{showSize(found.now.bytes)}</td>
            </tr>
          </tbody>
        </table>
      )}
    </ConfirmDialog>
  )
}
