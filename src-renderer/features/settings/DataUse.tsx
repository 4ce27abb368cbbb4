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
import { DataCleanUp } from './DataCleanUp.tsx'
import { Path } from './Path.tsx'

interface Use {
  uses: MediaUse[]
  free: number | null
  folder: string
}

/** What sound and pictures take up, room by room, and the way to be rid of some of it. */
export function DataUse() {
  const { t } = useTranslation('data')
  const studio = useStudio()
  const [use, setUse] = useState<Use | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const read = useCallback(() => {
    setProblem(null)
    studio.media.use().then(setUse, (thrown: unknown) => setProblem(problemOf(thrown)))
  }, [studio])
  const erasedAt = useData(({ erase }) => erase?.last?.endedAt ?? null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was erased by age is gone from the sizes
  useEffect(read, [read, erasedAt])
  // Another window, or a room that went on making, may have changed it.
  useEffect(() => {
    window.addEventListener('focus', read)
    return () => window.removeEventListener('focus', read)
  }, [read])
  if (problem) return <ProblemNotice problem={problem} on={{ retry: read }} />
  if (use === null) return <p className="text-faint text-s">{t('reading')}</p>
  return (
    <>
      <section aria-label={t('use')} className="flex flex-col gap-2.5 border-line border-t pt-4">
        <div className="flex items-start gap-x-4">
          <div className="min-w-0 flex-1">
            <h3 className="font-[560]">{t('use')}</h3>
            <p className="text-faint text-s">{t('useAbout')}</p>
            <div className="text-faint text-s">
              <Path path={use.folder} />
            </div>
          </div>
          <CopyButton text={use.folder} name={t('copyMedia')} />
        </div>
        <Sizes uses={use.uses} />
        {use.free !== null && <p className="text-s text-soft">{t('free', { size: showSize(use.free) })}</p>}
      </section>
      <DataCleanUp uses={use.uses} onDone={read} />
    </>
  )
}

function Sizes({ uses }: { uses: readonly MediaUse[] }) {
  const { t } = useTranslation('data')
  const total = uses.reduce((sum, { bytes }) => sum + bytes, 0)
  const most = Math.max(1, ...uses.map(({ bytes }) => bytes))
  return (
    <table className="w-full border-collapse text-s">
      <thead>
        <tr className="text-start text-faint">
          <th scope="col" className="py-1 text-start font-normal">
            {t('room')}
          </th>
          <th scope="col" className="px-3 py-1 text-end font-normal">
            {t('things')}
          </th>
          <th scope="col" className="py-1 text-end font-normal">
            {t('size')}
          </th>
        </tr>
      </thead>
      <tbody>
        {uses.map(({ kind, items, bytes, removedBytes }) => (
          <tr key={kind} data-room={kind} className="border-line border-t">
            <th scope="row" className="py-1.5 text-start align-top font-normal">
              {t(`kind.${kind}`)}
              {/* The figure stands at the end of the line: the bar is for the eye alone. */}
              <span aria-hidden className="mt-1 block h-[3px] max-w-64 rounded-full bg-hover">
                <span
                  className="block h-full rounded-full bg-accent"
                  style={{ width: `${(bytes / most) * 100}%`, minWidth: bytes > 0 ? 3 : 0 }}
                />
              </span>
            </th>
            <td className="num px-3 py-1.5 text-end align-top">{showCount(items)}</td>
            <td className="num py-1.5 text-end align-top">
              {showSize(bytes)}
              {removedBytes > 0 && (
                <span className="block text-faint">{t('deleted', { size: showSize(removedBytes) })}</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr className="border-line-strong border-t font-[540]">
          <th scope="row" colSpan={2} className="py-1.5 text-start font-[540]">
            {t('total')}
          </th>
          <td className="num py-1.5 text-end">{showSize(total)}</td>
        </tr>
      </tfoot>
    </table>
  )
}
