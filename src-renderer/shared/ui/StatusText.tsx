import type { ReactNode } from 'react'

/** Text that screen readers announce when it changes. It is not shown. */
export const StatusText = ({ children }: { children: ReactNode }) => (
  <span role="status" className="sr-only">
    {children}
  </span>
)
