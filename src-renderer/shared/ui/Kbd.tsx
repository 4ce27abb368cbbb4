import type { ReactNode } from 'react'
import { cx } from './cx.ts'

/** A keyboard key. `quiet` omits the border. */
export function Kbd({ children, quiet = false }: { children: ReactNode; quiet?: boolean }) {
  return (
    <kbd
      // Keys read from left to right in every language.
      dir="ltr"
      className={cx(
        'rounded-[4px] px-1 font-sans font-medium text-s leading-4',
        quiet ? 'opacity-75' : 'border border-line text-faint',
      )}
    >
      {children}
    </kbd>
  )
}
