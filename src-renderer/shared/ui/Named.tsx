import type { ReactNode } from 'react'

/** A control with its name beside it. Screen readers get the name from the control. */
export function Named({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span className="flex max-w-full flex-wrap items-center gap-x-1.5 gap-y-1">
      <span aria-hidden className="text-s text-soft">
        {name}
      </span>
      {children}
    </span>
  )
}
