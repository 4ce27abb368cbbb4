import type { ReactNode } from 'react'

/** One setting: name, hint, and its control at the end. */
export function Row({ name, hint, children }: { name: ReactNode; hint?: ReactNode; children?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
      <div className="min-w-0 flex-1">
        <div className="font-[520]">{name}</div>
        {hint && <div className="text-faint text-s">{hint}</div>}
      </div>
      {children}
    </div>
  )
}
