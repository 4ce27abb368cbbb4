import type { ReactNode } from 'react'

/** A word about the draft; it holds nobody back. */
export const Hint = ({ children }: { children: ReactNode }) => (
  <p role="status" className="composer-hint-line">
    {children}
  </p>
)
