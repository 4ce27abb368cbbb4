import { useTranslation } from 'react-i18next'
import { showSize } from '../../i18n/format.ts'

/** Progress as text and bar. `total` 0 means unknown. */
export function DataProgress(props: { label: string; words: string; done: number; total: number; figures?: string }) {
  const { t } = useTranslation('data')
  const { label, words, done, total } = props
  const share = total > 0 ? Math.min(1, done / total) : 0
  const figures = props.figures ?? t('ofBytes', { done: showSize(done), total: showSize(total) })
  return (
    <div className="flex flex-col gap-1.5 text-s">
      <div className="flex flex-wrap justify-between gap-x-4 text-soft">
        <span>{words}</span>
        {total > 0 && <span className="num">{figures}</span>}
      </div>
      <span
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={total > 0 ? `${words}, ${figures}` : words}
        className="block h-[5px] overflow-hidden rounded-full bg-line-strong"
      >
        <span className="block h-full bg-accent" style={{ width: `${share * 100}%` }} />
      </span>
    </div>
  )
}
