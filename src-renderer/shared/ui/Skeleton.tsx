import { cx } from './cx.ts'

/** A placeholder for a line that is loading. Hidden from screen readers: add a text beside it. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cx('h-3.5 animate-breathe rounded-s bg-hover', className)} />
}
