import type { ReactNode } from 'react'
import { cx } from './cx.ts'

/** A raised surface. */
export function Card({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={cx('min-w-0 rounded-l bg-raise shadow-[0_0_0_1px_var(--line)]', className)}>{children}</div>
}
