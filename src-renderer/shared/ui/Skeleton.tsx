import { cx } from './cx.ts'

/** Holds the place of a line that is on its way. Hidden from screen readers: say the wait in words beside it. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cx('h-3.5 animate-breathe rounded-s bg-hover', className)} />
}
