import { useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MediaUse } from '../../../src-preload/contract/media.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { problemOf } from '../../api/problem.ts'
import { showCount, showSize } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { useData } from '../../stores/data.ts'
import { AmountTable } from './AmountTable.tsx'
import { DataCleanUp } from './DataCleanUp.tsx'
import { Group } from './Group.tsx'
import { Path } from './Path.tsx'

interface Use {
  uses: MediaUse[]
  free: number | null
  folder: string
}

/** The size of sounds and images per feature, with clean-up. */
export function DataUse() {
  const { t } = useTranslation('data')
  const studio = useStudio()
  const [use, setUse] = useState<Use | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const read = useCallback(() => {
    setProblem(null)
    studio.media.storageUse().then(setUse, (thrown: unknown) => setProblem(problemOf(thrown)))
  }, [studio])
  const erasedAt = useData(({ erase }) => erase?.last?.endedAt ?? null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: deletion by age changes the sizes
  useEffect(read, [read, erasedAt])
  // Reads the sizes again: another window or a running feature may have changed them.
  useEffect(() => {
    window.addEventListener('focus', read)
    return () => window.removeEventListener('focus', read)
  }, [read])
  if (problem) return <ProblemNotice problem={problem} on={{ retry: read }} />
  if (use === null) return <p className="text-faint text-s">{t('reading')}</p>
  return (
    <>
      <Group
        title={t('storage')}
        about={
          <>
            {t('storageAbout')} <Path path={use.folder} />
          </>
        }
        actions={<CopyButton text={use.folder} name={t('copyMedia')} />}
      >
        <Sizes uses={use.uses} />
        {use.free !== null && <p className="text-s text-soft">{t('free', { size: showSize(use.free) })}</p>}
      </Group>
      <DataCleanUp uses={use.uses} onDone={read} />
    </>
  )
}

function Sizes({ uses }: { uses: readonly MediaUse[] }) {
  const { t } = useTranslation('data')
  const total = uses.reduce((sum, { bytes }) => sum + bytes, 0)
  const most = Math.max(1, ...uses.map(({ bytes }) => bytes))
  return (
    <AmountTable
      roomy
      columns={[t('feature'), t('items'), t('size')]}
      rows={uses.map(({ kind, items, bytes, removedBytes }) => ({
        id: kind,
        name: (
          <>
            {t(`mediaKind.${kind}`)}
            {/* Hidden from screen readers, which read the amount at the end of the row. */}
            <span aria-hidden className="mt-1 block h-[3px] max-w-64 rounded-full bg-hover">
              <span
                className="block h-full rounded-full bg-accent"
                style={{ width: `${(bytes / most) * 100}%`, minWidth: bytes > 0 ? 3 : 0 }}
              />
            </span>
          </>
        ),
        first: showCount(items),
        second: (
          <>
            {showSize(bytes)}
            {removedBytes > 0 && (
              <span className="block text-faint">{t('deleted', { size: showSize(removedBytes) })}</span>
            )}
          </>
        ),
      }))}
      total={{ id: 'total', name: t('total'), first: null, second: showSize(total) }}
    />
  )
}
