import { cx } from './cx.ts'
import { StatusText } from './StatusText.tsx'

/** Placeholders for the rows of a list, as high as rows of two lines, so that nothing moves when they arrive. */
export function ListSkeleton({ label, rows = 6 }: { label: string; rows?: number }) {
  return (
    <div className="flex flex-col px-4 pt-1">
      <StatusText>{label}</StatusText>
      {Array.from({ length: rows }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <div key={at} className="flex h-[46px] flex-col justify-center gap-2">
          <Skeleton className={at % 2 ? 'w-2/3' : 'w-5/6'} />
          <Skeleton className="h-2.5 w-1/2" />
        </div>
      ))}
    </div>
  )
}

/** A placeholder for a line that is loading. Hidden from screen readers: add a text beside it. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cx('h-3.5 animate-breathe rounded-s bg-hover', className)} />
}
