import { useTranslation } from 'react-i18next'
import { showAgo, showFull } from '../../i18n/format.ts'
import { useNow } from '../useNow.ts'
import { cx } from './cx.ts'
import { Tooltip } from './Tooltip.tsx'

const texts = { updated: 'updatedAgo', checked: 'checkedAgo', synced: 'syncedAgo', backedUp: 'backedUpAgo' } as const

/** `Updated 5 min ago`, correct to the minute. Hover, focus and screen readers get the exact local time. */
export function RelativeTime({ at, did, className }: { at: string; did: keyof typeof texts; className?: string }) {
  const { t } = useTranslation('common')
  const now = useNow(60_000)
  const exact = showFull(at)
  return (
    <Tooltip text={exact}>
      <time
        dateTime={at}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has no other way to the exact time
        tabIndex={0}
        className={cx('num whitespace-nowrap rounded-s', className)}
      >
        {t(texts[did], { ago: showAgo(at, now) })}
        <span className="sr-only">{` (${exact})`}</span>
      </time>
    </Tooltip>
  )
}
