import type { ReactNode } from 'react'

/** A note about the draft that does not prevent sending. */
export const Hint = ({ children }: { children: ReactNode }) => (
  <p role="status" className="composer-hint-line">
    {children}
  </p>
)
